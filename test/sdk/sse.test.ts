import { expect, test } from 'vitest'
import { partsOf, type StreamPart } from '../../sdk/typescript/src/sse.ts'

test('a line of a stream ends at a line feed alone, whatever a message holds', async () => {
  const data = '{"content":"x\u2028id: y\u2029event: end\u0085data: z"}'
  const text = `id: one\r\nevent: chat.message.sent\r\ndata: ${data}\r\n\r\n:\n\nid: two\nevent:progress\ndata\n\n`
  const body = new Blob([text]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>
  const parts: StreamPart[] = []
  for await (const part of partsOf(body)) parts.push(part)
  expect(parts).toEqual([
    { id: 'one', event: 'chat.message.sent', data },
    { id: undefined, event: '', data: '' },
    { id: 'two', event: 'progress', data: '' },
  ])
})
