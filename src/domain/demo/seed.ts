import { categories, chatMessages, livestreams, users } from '../../db/schema/index.ts'
import type { Context } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { demoCategories } from './texts.ts'

const CHUNK_ROWS = 500
const LIVE_EVERY = 10
const MESSAGES_EACH = 3

/**
 * Adds `size` channels with a few messages each to a database, every tenth of them live: for trying out pages and for
 * load tests. They have no passwords. Rows are written in bulk and emit no events. Can be run again to add more.
 */
export async function seed(ctx: Context, size: number, onProgress: (done: number) => void): Promise<void> {
  const rows = demoCategories.map((category, i) => ({
    id: newId('category', ctx.now()),
    ...category,
    imageUrl: null,
    sortOrder: i,
  }))
  await ctx.slow.insert(categories).values(rows).onConflictDoNothing({ target: categories.slug })
  for (let done = 0; done < size; ) {
    const count = Math.min(CHUNK_ROWS, size - done)
    await seedChunk(ctx, count)
    done += count
    onProgress(done)
  }
}

async function seedChunk({ slow, now }: Context, count: number): Promise<void> {
  const at = now()
  const people = Array.from({ length: count }, () => {
    const id = newId('user', at)
    const username = `s${id.slice(-20)}` // from the random part, so that two runs do not collide
    return { id, username, email: `${username}@seed.example`, bio: 'Made by seed.', createdAt: at, updatedAt: at }
  })
  const live = people.filter((_, i) => i % LIVE_EVERY === 0)
  await slow.transaction(async (tx) => {
    await tx.insert(users).values(people)
    await tx.insert(livestreams).values(
      live.map(({ id, username }, i) => ({
        id: newId('livestream', at),
        channelId: id,
        title: `Live from ${username}`,
        categorySlug: demoCategories[i % demoCategories.length]?.slug ?? null,
        startedAt: at,
        updatedAt: at,
      })),
    )
    await tx.insert(chatMessages).values(people.flatMap((person) => messagesOf(person, at)))
  })
}

function messagesOf({ id, username }: { id: string; username: string }, at: Date) {
  return Array.from({ length: MESSAGES_EACH }, (_, i) => ({
    id: newId('message', at),
    channelId: id,
    userId: id,
    userName: username,
    type: 'text' as const,
    content: `Message ${i + 1}`,
    createdAt: at,
  }))
}
