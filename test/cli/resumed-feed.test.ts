import { expect, test } from 'vitest'
import { Refusal } from '../../src/cli/io.ts'
import { type Connect, Disconnected, type FeedPlace, resumedFeed } from '../../src/cli/resumed-feed.ts'

const event = (n: number) => ({ id: `evt_${n}`, type: 'chat.message.sent', payload: `${n}`, cursor: `behind ${n}` })
const heard = (...numbers: number[]) => numbers.map((n) => ({ events: [event(n)], cursor: `behind ${n}` }))
const cut = new Disconnected({ code: 'unreachable', message: 'cut off' })
const renewed = new Disconnected({ code: 'unavailable', message: 'open for long' }, { isRenewal: true })
const gone = new Refusal({ code: 'cursor_expired', message: 'The oldest is of today.' })
const revoked = new Refusal({ code: 'revoked', message: 'It has ended.' })

type Connection = { steps: ReturnType<typeof heard>; end?: Error }

/** What comes of a series of connections, the last of which is left open. */
async function follow(connections: Connection[], begin: FeedPlace = {}) {
  const asked: FeedPlace[] = []
  const said: string[] = []
  const stop = new AbortController()
  const connect: Connect = async function* (place) {
    const { steps, end } = connections[asked.push(place) - 1] ?? { steps: [] }
    yield* [{ events: [] }, ...steps]
    if (end) throw end
    stop.abort()
  }
  const failing: Connect = async function* (place, signal) {
    const next = connections[asked.length]
    if (next?.steps.length === 0 && next.end) {
      asked.push(place)
      throw next.end
    }
    yield* connect(place, signal)
  }
  const notices = {
    signal: stop.signal,
    onInterruption: (isInterrupted: boolean) => void said.push(isInterrupted ? 'lost' : 'restored'),
    onMissed: (why: string) => void said.push(why),
  }
  const events: string[] = []
  const ended = (async () => {
    for await (const list of resumedFeed(failing, begin, notices)) events.push(...list.map(({ payload }) => payload))
  })()
  const error = await ended.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { events, asked, said, error }
}

test('a stream is renewed in silence, behind what was heard last', async () => {
  const { events, asked, said } = await follow([{ steps: heard(1, 2), end: renewed }, { steps: heard(3) }])
  expect([events, asked, said]).toEqual([['1', '2', '3'], [{}, { after: 'behind 2' }], []])
})

test('who is cut off is told once, and once when it goes on, however often that was tried', async () => {
  const begin = { since: '2026-01-02T00:00:00Z' }
  const { events, asked, said } = await follow(
    [{ steps: heard(1), end: cut }, { steps: [], end: cut }, { steps: [], end: cut }, { steps: heard(2) }],
    begin,
  )
  expect(events).toEqual(['1', '2'])
  expect(asked).toEqual([begin, ...Array(3).fill({ after: 'behind 1' })])
  expect(said).toEqual(['lost', 'restored'])
})

test('what was missed is said, and what is kept follows', async () => {
  const { events, asked, said } = await follow([
    { steps: heard(1), end: cut },
    { steps: [], end: gone },
    { steps: heard(9) },
  ])
  expect(events).toEqual(['1', '9'])
  expect(Object.keys(asked.at(-1) ?? {})).toEqual(['since'])
  expect(said).toEqual(['lost', gone.message, 'restored'])
})

test('a beginning that fails is an end, and so is a credential that has ended', async () => {
  expect((await follow([{ steps: [], end: gone }])).error).toBe(gone)
  expect((await follow([{ steps: [], end: cut }])).error).toMatchObject({ problem: { code: 'unreachable' } })
  expect(await follow([{ steps: heard(1), end: revoked }])).toMatchObject({ events: ['1'], said: [], error: revoked })
})
