import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { livestreams } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { encodeCursor } from '../../src/domain/core/paging.ts'
import { listLivestreams } from '../../src/domain/livestream-list.ts'
import { createTestContext } from '../support/context.ts'

const stage = await createTestContext()
afterAll(() => stage[Symbol.asyncDispose]())
const { context: ctx } = stage
const people = await Promise.all(Array.from({ length: 12 }, (_, n) => stage.user(`streamer_${n}`)))

/** The identifiers of streams that are live, the one that changed last first. */
let live: string[] = []
beforeEach(async () => {
  await ctx.db.delete(livestreams)
  live = []
  for (const { id: channelId } of people.slice(0, 7)) live.unshift(await start(channelId))
})

async function start(channelId: string) {
  const at = ctx.now()
  const id = newId('livestream', at)
  await ctx.db.insert(livestreams).values({ id, channelId, startedAt: at, updatedAt: at })
  return id
}
const change = (id = '', updatedAt = ctx.now(), db = ctx.db) =>
  db.update(livestreams).set({ updatedAt }).where(eq(livestreams.id, id))

/** A transaction that lasts until `commit`. */
async function openTransaction() {
  let commit = () => {}
  const end = new Promise<void>((resolve) => {
    commit = resolve
  })
  let ended: Promise<void> | undefined
  const db = await new Promise<Database>((resolve) => {
    ended = ctx.db.transaction(async (tx) => {
      resolve(tx)
      await end
    })
  })
  return {
    db,
    async commit() {
      commit()
      await ended
    },
  }
}

/** All pages of a walk, during which `between` happens after each page. */
async function walk(limit: number, between: (pages: number, seen: string[]) => Promise<unknown> = async () => {}) {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const { items, next } = await listLivestreams(ctx, { limit, cursor })
    expect(items.length).toBeLessThanOrEqual(limit)
    pages.push(items.map(({ id }) => id))
    cursor = next ?? undefined
    await between(pages.length, pages.flat())
  } while (cursor !== undefined && pages.length < 100)
  expect(cursor, 'a walk ends').toBeUndefined()
  return pages
}
const isComplete = (pages: string[][]) => expect([...new Set(pages.flat())].toSorted()).toEqual(live.toSorted())

describe('a walk of the live streams', () => {
  test.each([1, 2, 3, 6, 7, 8])('gives each once in its order when nothing changes, %i a page', async (limit) => {
    const pages = await walk(limit)
    expect(pages.flat()).toEqual(live)
    expect(pages).toHaveLength(Math.ceil(live.length / limit))
  })

  test.each([1, 2, 3, 5, 6])('misses none that changes behind it, %i a page', async (limit) => {
    for (const last of live) {
      const pages = await walk(limit, async (count) => count === 1 && change(last))
      isComplete(pages)
      live = [last, ...live.filter((id) => id !== last)]
    }
  })

  test('misses none when all change after every page, and ends', async () => {
    for (const limit of [1, 2, 3, 5]) {
      isComplete(
        await walk(limit, async () => {
          for (const id of live.toReversed()) await change(id)
        }),
      )
    }
  })

  test('misses none when others start and end meanwhile, and ends', async () => {
    let free = people.slice(7)
    const passing: string[] = []
    const pages = await walk(1, async () => {
      await change(live.at(-1))
      const [next, ...rest] = free
      if (!next) return
      free = rest
      passing.push(await start(next.id))
      await change(passing[0])
      if (passing.length === 3)
        await ctx.db
          .update(livestreams)
          .set({ endedAt: ctx.now() })
          .where(eq(livestreams.id, passing[1] ?? ''))
    })
    expect(pages.flat()).toEqual(expect.arrayContaining(live))
  })

  test('misses none whose change was not committed when the first page was read', async () => {
    const last = live.at(-1)
    const open = await openTransaction()
    await change(last, ctx.now(), open.db)
    await start(people[7]?.id ?? '') // the last change that the first page sees is a later one
    const pages = await walk(2, async (count) => count === 1 && open.commit())
    expect(pages.flat()).toEqual(expect.arrayContaining(live))
  })

  test('shows none twice for what others do in transactions that last', async () => {
    const open = await openTransaction()
    await change(live[3], ctx.now(), open.db)
    await change(live[0])
    expect((await walk(2)).flat()).toEqual(live)
    await open.commit()
  })

  test('misses none that is changed by a process whose clock is minutes behind', async () => {
    await change(live[0])
    const slow = new Date(ctx.now().getTime() - 4 * 60_000)
    isComplete(await walk(2, async (count) => count === 1 && change(live.at(-1), slow)))
  })

  test('shows what has changed once more, with what it is by now, and nothing else twice', async () => {
    const [, , third = '', , fifth = ''] = live
    const pages = await walk(2, async (count) => {
      if (count !== 2) return
      await ctx.db
        .update(livestreams)
        .set({ title: 'new', updatedAt: ctx.now() })
        .where(sql`id in (${third}, ${fifth})`)
    })
    const seen = pages.flat()
    const twice = seen.filter((id, at) => seen.indexOf(id) !== at)
    expect(twice).toEqual([third])
    isComplete(pages)
  })

  test('goes on from a cursor of an earlier release', async () => {
    const [row] = await ctx.db
      .select()
      .from(livestreams)
      .where(eq(livestreams.id, live[2] ?? ''))
    const cursor = encodeCursor(ctx, 'livestreams', [row?.updatedAt.toISOString() ?? '', row?.id ?? ''])
    const { items, next } = await listLivestreams(ctx, { limit: 100, cursor })
    expect([items.map(({ id }) => id), next]).toEqual([live.slice(3), null])
  })
})
