import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import type { OpenStream, StreamEnd } from '../../src/domain/core/live.ts'
import { Problem } from '../../src/domain/core/problem.ts'
import { ProcessStreams } from '../../src/domain/events/streams/process-streams.ts'
import { endMostUnsent } from '../../src/domain/events/streams/unsent-limit.ts'
import { type SseForm, SseSink } from '../../src/rest/live/sse-sink.ts'

/* What is kept for all who do not read is bounded, however many they are. */
const KIB = 1_024

function streamWith(kib: number, sharedBy?: string) {
  const stream = {
    caller: undefined,
    scopes: [],
    unsentBytes: kib * KIB,
    sharedBy,
    ended: undefined as StreamEnd | undefined,
    beat() {},
    end(end: StreamEnd) {
      stream.ended = end
      stream.unsentBytes = 0
    },
  } satisfies OpenStream & { ended: StreamEnd | undefined }
  return stream
}

const kept = (streams: { unsentBytes: number }[]) => streams.reduce((sum, { unsentBytes }) => sum + unsentBytes, 0)

test('beyond what all may have unsent, those who have left most are ended at once, until it is half of that', () => {
  const streams = [100, 900, 70, 800, 300, 200].map((kib) => streamWith(kib))
  endMostUnsent(streams, 2_400 * KIB)
  expect(streams.filter(({ ended }) => ended)).toEqual([])
  endMostUnsent(streams, 2_300 * KIB)
  expect(streams.map(({ ended }) => ended?.isAtOnce)).toEqual([undefined, true, undefined, true, undefined, undefined])
  expect(streams[1]?.ended?.reason).toBe('recycled')
  expect(kept(streams)).toBeLessThan(1_150 * KIB)
})

test('what is kept once for many counts once, and little for each is on its way', () => {
  const room = Array.from({ length: 1_000 }, () => streamWith(500, 'room'))
  const readers = Array.from({ length: 1_000 }, () => streamWith(60))
  const other = streamWith(100)
  endMostUnsent([...room, ...readers, other], 600 * KIB)
  expect([...room, ...readers, other].filter(({ ended }) => ended)).toEqual([])
  endMostUnsent([...room, ...readers, other], 599 * KIB)
  expect([...room, ...readers, other].filter(({ ended }) => ended)).toEqual(room)
})

test('of those for whom it is kept once, whoever reads is not ended with whoever does not', () => {
  const asleep = [streamWith(1_000, 'room'), streamWith(900), streamWith(800)]
  const readers = [streamWith(100, 'room'), streamWith(90, 'room')]
  endMostUnsent([...readers, ...asleep], 2_000 * KIB)
  expect(asleep.map(({ ended }) => ended?.isAtOnce)).toEqual([true, true, undefined])
  expect(readers.filter(({ ended }) => ended)).toEqual([])
})

test('of the streams of a process those with much unsent are looked at twice a second', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const credentials = { onEnd() {}, isTrusted: true } as never
  const stopping = new AbortController().signal
  const process = new ProcessStreams({ db: undefined as never, credentials, stopping, log: undefined as never })
  const streams = Array.from({ length: 200 }, () => streamWith(1_024))
  for (const stream of streams) {
    process.add(stream)
    process.noteUnsent(stream)
  }
  vi.advanceTimersByTime(500)
  vi.useRealTimers()
  expect(streams.filter(({ ended }) => ended)).toHaveLength(136)
})

const form: SseForm = {
  key: 'test',
  greeting: () => ': begun\n\n',
  beat: ':\n\n',
  frame: ({ payload }) => `data: ${payload}\n\n`,
  progress: () => '',
  end: ({ reason }) => `event: end\ndata: ${reason}\n\n`,
}

/** A connection whose reader takes nothing, with mebibytes that wait for it. */
async function slowSink() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  reader.on('error', () => {})
  reader.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n')
  const [, response] = await once(server, 'request')
  const sink = new SseSink(response, form)
  sink.begin({ place: 0, at: new Date() })
  const payload = 'x'.repeat(1_024 * KIB)
  for (let place = 1; place <= 20; place++) sink.write([{ id: 'evt', type: 'chat.message.sent', payload, place }])
  expect(sink.unsentBytes).toBeGreaterThan(1_024 * KIB)
  const close = () => {
    reader.destroy()
    server.close()
  }
  return { sink, socket: response.socket, [Symbol.dispose]: close }
}

const tooSlow = { reason: 'recycled', problem: new Problem('unavailable', 'Too slow.') } as const

test.each([
  ['a stream', []],
  ['one that has ended', [tooSlow]],
])('where there is no memory for it %s is cut off with what waits for its reader', async (_, before) => {
  using slow = await slowSink()
  for (const end of [...before, { ...tooSlow, isAtOnce: true }]) slow.sink.end(end)
  expect(slow.socket.destroyed).toBe(true)
})

test('who has not read to the end of a stream ten seconds later is cut off', async () => {
  using slow = await slowSink()
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  slow.sink.end(tooSlow)
  vi.advanceTimersByTime(9_900)
  expect(slow.socket.destroyed).toBe(false)
  vi.advanceTimersByTime(200)
  vi.useRealTimers()
  expect(slow.socket.destroyed).toBe(true)
})
