import { sql } from 'drizzle-orm'
import { categories, livestreams, users } from '../../db/schema/index.ts'
import { examples } from '../../shared/examples.ts'
import { getChannel, updateChannel } from '../channels.ts'
import { listMessages, sendMessage } from '../chat.ts'
import type { Context } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { transact } from '../core/transaction.ts'
import { type LivestreamFields, startLivestream } from '../livestreams.ts'
import { freeId } from './free-id.ts'
import { actingAs, createPerson, type DemoPerson } from './people.ts'
import { bioOf, channelNames, conversation, demoCategories } from './texts.ts'

type DemoPeople = { streamer: DemoPerson; viewer: DemoPerson; outsider: DemoPerson }

const LIVE_CHANNELS = 6
/** One password is hashed while another account is stored. With all at once, each statement waited for all before it. */
const CHANNELS_AT_ONCE = 3

/**
 * Creates the categories, channels, live streams and chat messages of the demonstration. What exists already stays as
 * it is. One transaction, because a few hundred commits would each wait for the disk.
 */
export async function prepareContent(ctx: Context, people: DemoPeople): Promise<void> {
  await transact(ctx, async (tx) => {
    await createCategories(tx)
    await createChannels(tx, people)
    await goLive(
      tx,
      people.streamer,
      { title: 'Building a chat bot, live', category: 'software' },
      examples.livestreamId,
    )
    await createConversation(tx, people)
  })
}

async function createCategories({ db, now }: Context): Promise<void> {
  const rows = demoCategories.map((category, i) => ({
    id: category.slug === examples.category ? examples.categoryId : newId('category', now()),
    ...category,
    imageUrl: null,
    sortOrder: i,
  }))
  await db.insert(categories).values(rows).onConflictDoNothing()
}

async function createChannels(ctx: Context, { streamer }: DemoPeople): Promise<void> {
  const { bio } = await getChannel(ctx, streamer.username)
  if (bio === null) await updateChannel(actingAs(ctx, streamer), { bio: 'I build things in public.' })
  const missing = (await missingOf(ctx, channelNames)).values()
  const createSome = async () => {
    for (const username of missing) await createChannel(ctx, username)
  }
  await Promise.all(Array.from({ length: CHANNELS_AT_ONCE }, createSome))
}

async function missingOf({ db }: Context, names: readonly string[]): Promise<string[]> {
  const wanted = sql`${users.username} = any(${`{${names.join(',')}}`}::text[])`
  const found = await db.select({ username: users.username }).from(users).where(wanted)
  const present = new Set(found.map(({ username }) => username))
  return names.filter((name) => !present.has(name))
}

async function createChannel(ctx: Context, username: string): Promise<void> {
  const person = await createPerson(ctx, username)
  const place = channelNames.indexOf(username)
  await updateChannel(actingAs(ctx, person), { bio: bioOf(username) })
  const category = demoCategories[place % demoCategories.length]
  if (place < LIVE_CHANNELS)
    await goLive(ctx, person, { title: `${category?.label ?? 'Talk'} with ${username}`, category: category?.slug })
}

async function goLive(ctx: Context, person: DemoPerson, fields: LivestreamFields, wanted?: string): Promise<void> {
  const { is_live } = await getChannel(ctx, person.username)
  if (!is_live) await startLivestream(actingAs(ctx, person), fields, await freeId(ctx, livestreams, wanted))
}

async function createConversation(ctx: Context, people: DemoPeople): Promise<void> {
  const room = people.streamer.username
  const { items } = await listMessages(ctx, { room_name: room, limit: 1 })
  if (items.length > 0) return
  for (const [who, content] of conversation) {
    await sendMessage(actingAs(ctx, people[who]), { room_name: room, content })
  }
}
