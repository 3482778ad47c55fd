import { sql } from 'drizzle-orm'
import { afterAll, expect, test, vi } from 'vitest'
import { type Listener, listenToChannels } from '../../src/db/listener.ts'
import { announcementIn } from '../../src/db/notifier.ts'
import { OtherListeners } from '../../src/db/other-listeners.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { listenToNotifications, notifyCommits } from '../../src/process/background/notifications.ts'
import { createTestApp } from '../support/app.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { context, target } = app

/** One process that listens, and announces what it commits. */
async function listening(wakeHub: WakeHub) {
  const isUp = new Promise<void>((resolve) => {
    wakeHub.onWake(() => resolve())
  })
  const listener = listenToNotifications(context, { wakeHub, target })
  await isUp
  return listener
}

/** Hears everything, and greets nobody who listens otherwise. */
async function overhear() {
  const names: string[] = []
  const listener = await new Promise<Listener>((resolve) => {
    const opened = listenToChannels(
      target,
      { webhook_wake: (payload) => names.push(...announcementIn(payload).names), overhearing: () => {} },
      { greeting: { channel: 'overhearing', sender: 'test' }, onUp: () => resolve(opened) },
    )
  })
  return { names, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() }
}

/** What a listener says first, given more time as long as the machine took longer than a ping may. */
async function saidWithTime(pingMs: number, attempt: (pingMs: number) => Promise<string | undefined>): Promise<string> {
  const said = (await attempt(pingMs)) ?? 'nothing'
  return said.startsWith('No answer within') ? saidWithTime(2 * pingMs, attempt) : said
}

test('who is alone announces nothing; once another listens, or nothing is heard any more, every commit is announced', async () => {
  let at = 0
  const hub = new WakeHub(() => at)
  await using overheard = await overhear()
  const { names } = overheard
  const own = await listening(hub)
  await using _announcing = notifyCommits(context, hub)
  hub.wake('before_anybody_can_have_greeted')
  await expect.poll(() => names.at(-1)).toBe('before_anybody_can_have_greeted')

  at += 12_000
  hub.wake('alone')

  const other = new WakeHub()
  const woken = vi.fn()
  await using _other = await listening(other)
  other.onWake(woken)
  await expect.poll(() => hub.others.areLikely).toBe(true)
  hub.wake('together')
  await expect.poll(() => names.at(-1)).toBe('together')
  await expect.poll(() => woken.mock.calls[0]?.[0]).toEqual(['together'])

  await own[Symbol.asyncDispose]()
  hub.others.cannotBeHeard()
  at += 12_000
  hub.wake('deaf')
  await expect.poll(() => names.at(-1)).toBe('deaf')
  expect(names).not.toContain('alone')
})

test('who does not hear its own greeting, as behind a transaction pooler, does not pass for one that hears', async () => {
  const up = vi.fn()
  const greeting = { channel: 'of_another_connection', sender: 'I' }
  const said = await saidWithTime(100, async (pingMs) => {
    const down = vi.fn<(error: Error) => void>()
    await using _deaf = listenToChannels(
      target,
      {},
      { greeting, pingMs, onUp: up, onDown: (error) => down(error as Error) },
    )
    await expect.poll(() => down.mock.calls.length).toBeGreaterThan(0)
    return down.mock.calls[0]?.[0].message
  })
  expect(said).toContain('DATABASE_DIRECT_URL')
  expect(up).not.toHaveBeenCalled()
})

test('who loses LISTEN and is answered still counts as lost: it listens anew, and reads again what it has missed', async () => {
  const greeting = { channel: 'greetings', sender: 'I' }
  const said = await saidWithTime(300, async (pingMs) => {
    await using proxy = await createDatabaseProxy(target)
    const [up, down, heard] = [vi.fn(), vi.fn<(error: Error) => void>(), vi.fn()]
    const follow = { pingMs, onUp: up, onDown: (error: unknown) => down(error as Error) }
    await using _listener = listenToChannels(proxy.target, { greetings: heard, news: heard }, { greeting, ...follow })
    await expect.poll(() => up.mock.calls.length).toBeGreaterThan(0)
    proxy.unlisten()
    await expect.poll(() => up.mock.calls.length).toBeGreaterThan(1)
    await context.db.execute(sql`select pg_notify('news', 'new')`)
    await expect.poll(() => heard.mock.calls).toEqual([['new']])
    return down.mock.calls[0]?.[0].message
  })
  expect(said).toContain('does not hear its own greeting')
})

test('who hears another while its own connection is made, and loses it again, is not alone', () => {
  let at = 0
  const others = new OtherListeners(() => at)
  others.canBeHeard()
  others.cannotBeHeard()
  others.areThere()
  at += 1_000_000
  expect(others.areLikely).toBe(true)
  others.canBeHeard()
  at += 11_999
  others.areThere()
  at += 11_999
  expect(others.areLikely).toBe(true)
  at += 1
  expect(others.areLikely).toBe(false)
})

test('a process that commits without listening, as a command, announces everything', async () => {
  let at = 0
  const command = new WakeHub(() => at)
  await using overheard = await overhear()
  await using _announcing = notifyCommits(context, command)
  at += 1_000_000
  command.wake('usr_1')
  await expect.poll(() => overheard.names).toContain('usr_1')
})
