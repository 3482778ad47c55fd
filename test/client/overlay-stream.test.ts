import { describe, expect, test, vi } from 'vitest'
import { eventsIn, type StreamEvent } from '../../src/client/overlay/stream.ts'

const bytes = new TextEncoder().encode(
  'retry: 3000\nid: one\n: events follow\n\n' +
    'id: two\nevent: chat.message.sent\ndata: {"content":"Grüße, 世界: data: x"}\n\n' +
    'id: odd\nevent: chat.message.sent\ndata: {"content":"x\u2028id: y\u2029event: end\u0085data: z"}\n\n' +
    ':\n\n' +
    'id: three\nevent: progress\ndata:\n\n' +
    'event: end\ndata: {"reason":"recycled"}\n\n' +
    'id: cut off',
)
const wanted = [
  { id: 'one', type: '', data: '' },
  { id: 'two', type: 'chat.message.sent', data: '{"content":"Grüße, 世界: data: x"}' },
  { id: 'odd', type: 'chat.message.sent', data: '{"content":"x\u2028id: y\u2029event: end\u0085data: z"}' },
  { id: undefined, type: '', data: '' },
  { id: 'three', type: 'progress', data: '' },
  { id: undefined, type: 'end', data: '{"reason":"recycled"}' },
]

async function allIn(body: ReadableStream<Uint8Array>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of eventsIn(body)) events.push(event)
  return events
}

describe('an overlay reads a stream', () => {
  test.each([1, 7, 1_000])('however it is cut: by %i bytes', async (length) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += length) controller.enqueue(bytes.slice(at, at + length))
        controller.close()
      },
    })
    expect(await allIn(body)).toEqual(wanted)
  })

  test('until it has been silent for longer than the service is, and lets it go then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const cancel = vi.fn()
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(bytes), cancel })
    const reading = allIn(body)
    await new Promise(setImmediate)
    vi.advanceTimersByTime(39_000)
    await new Promise(setImmediate)
    expect(cancel).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1_001)
    expect(await reading).toEqual(wanted)
    expect(cancel).toHaveBeenCalledOnce()
    vi.useRealTimers()
  })
})
