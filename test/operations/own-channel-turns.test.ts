import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { poolSizes } from '../../src/db/pools.ts'
import { updateChannel } from '../../src/domain/channels.ts'
import { deleteMessage, sendMessage } from '../../src/domain/chat.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { endLivestream, startLivestream, updateLivestream } from '../../src/domain/livestreams.ts'
import { createBan, removeBan } from '../../src/domain/moderation.ts'
import { within } from '../../src/time/within.ts'
import { untilAllWait } from '../support/waiting.ts'
import { createStage, type Stage } from '../webhooks/support/stage.ts'

/** Requests of one person at once, more than there are connections. */
const ASKED = 2 * poolSizes.fast
/** Much more than a statement takes that waits for nobody. */
const SOON_MS = 1_000

let stage: Stage
let as: UserContext
const messages: string[] = []
beforeAll(async () => {
  stage = await createStage()
  as = stage.asUser(stage.ada)
  await startLivestream(as, { title: 'x' })
  for (let n = 0; n < ASKED; n++) {
    messages.push((await sendMessage(as, { room_name: 'ada', content: `${n}` })).id)
    await stage.user(`banned_${n}`)
  }
})
afterAll(() => stage[Symbol.asyncDispose]())

const idOf = async (name: string) => `${(await stage.run(`select id from users where username = '${name}'`))[0]?.id}`

/* The events of a channel are numbered, so that whoever causes one waits for all who cause another. */
test.each<[string, (n: number) => Promise<unknown>]>([
  ['a ban', async (n) => createBan(as, { user_id: await idOf(`banned_${n}`) })],
  ['the end of one', async (n) => removeBan(as, { user_id: await idOf(`banned_${n}`) })],
  ['a message that is deleted', (n) => deleteMessage(as, messages[n] ?? '')],
  ['a profile', (n) => updateChannel(as, { bio: `${n}` })],
  ['a title', (n) => updateLivestream(as, { title: `${n}` })],
  ['the end of a stream', () => endLivestream(as)],
])('%s waits for others of its channel without a connection that everybody else lacks', async (_, ask) => {
  const { asked, isAnswered } = await stage.context.slow.transaction(async (tx) => {
    await tx.execute(sql`select from channel_sequences where channel_id = ${stage.ada.id} for update`)
    const asked = await untilAllWait(stage.context, () => Array.from({ length: ASKED }, (_, n) => ask(n)))
    const other = stage.context.db.execute(sql`select 1`).then(() => true)
    return { asked, isAnswered: await within(SOON_MS, other, () => false) }
  })
  await Promise.all(asked)
  expect(isAnswered).toBe(true)
})
