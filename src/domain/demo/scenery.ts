import { sql } from 'drizzle-orm'
import { categories, users } from '../../db/schema/index.ts'
import { getChannel, updateChannel } from '../channels.ts'
import { listMessages, sendMessage } from '../chat.ts'
import type { Context } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { transact } from '../core/transaction.ts'
import { startLivestream } from '../livestreams.ts'
import { actingAs, createPerson, type DemoPerson } from './people.ts'
import { bioOf, channelNames, conversation, shelves } from './texts.ts'

type Cast = { streamer: DemoPerson; viewer: DemoPerson; outsider: DemoPerson }

const LIVE_CHANNELS = 6

/**
 * What there is to look at: categories, channels, live streams, a conversation. What is there already stays. One
 * transaction, since some hundred commits would each wait for the disk.
 */
export async function prepareScenery(ctx: Context, cast: Cast): Promise<void> {
  await transact(ctx, async (tx) => {
    await fillShelves(tx)
    await peopleChannels(tx, cast)
    await goLive(tx, cast.streamer, 'Building a chat bot, live', 'software')
    await talk(tx, cast)
  })
}

async function fillShelves({ db, now }: Context): Promise<void> {
  const rows = shelves.map((shelf, i) => ({ id: newId('category', now()), ...shelf, imageUrl: null, sortOrder: i }))
  await db.insert(categories).values(rows).onConflictDoNothing({ target: categories.slug })
}

async function peopleChannels(ctx: Context, { streamer }: Cast): Promise<void> {
  const { bio } = await getChannel(ctx, streamer.username)
  if (bio === null) await updateChannel(actingAs(ctx, streamer), { bio: 'I build things in public.' })
  const missing = await missingOf(ctx, channelNames)
  await Promise.all(missing.map((username) => openChannel(ctx, username)))
}

async function missingOf({ db }: Context, names: readonly string[]): Promise<string[]> {
  const wanted = sql`${users.username} = any(${`{${names.join(',')}}`}::text[])`
  const found = await db.select({ username: users.username }).from(users).where(wanted)
  const present = new Set(found.map(({ username }) => username))
  return names.filter((name) => !present.has(name))
}

async function openChannel(ctx: Context, username: string): Promise<void> {
  const person = await createPerson(ctx, username)
  const place = channelNames.indexOf(username)
  await updateChannel(actingAs(ctx, person), { bio: bioOf(username) })
  const shelf = shelves[place % shelves.length]
  if (place < LIVE_CHANNELS)
    await goLive(ctx, person, `${shelf?.label ?? 'Talk'} with ${username}`, shelf?.slug ?? null)
}

async function goLive(ctx: Context, person: DemoPerson, title: string, category: string | null): Promise<void> {
  const { is_live } = await getChannel(ctx, person.username)
  if (!is_live) await startLivestream(actingAs(ctx, person), { title, category })
}

async function talk(ctx: Context, cast: Cast): Promise<void> {
  const room = cast.streamer.username
  const { items } = await listMessages(ctx, { room_name: room, limit: 1 })
  if (items.length > 0) return
  for (const [who, content] of conversation) {
    await sendMessage(actingAs(ctx, cast[who]), { room_name: room, content })
  }
}
