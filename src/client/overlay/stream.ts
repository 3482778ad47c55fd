/** One event of a stream; `id` leads on behind it. */
export type StreamEvent = { id: string | undefined; type: string; data: string }

/** The service gives a sign of life every fifteen seconds: who hears nothing for so long has lost it. */
const SILENT_MS = 40_000

/** The events of an answer that is a stream (the HTML standard, server-sent events), until it ends or falls silent. */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let unread = ''
  try {
    for (;;) {
      const silence = setTimeout(() => void reader.cancel(), SILENT_MS)
      const { done, value } = await reader.read().finally(() => clearTimeout(silence))
      if (done) return
      const blocks = (unread + decoder.decode(value, { stream: true })).split('\n\n')
      unread = blocks.pop() ?? ''
      yield* blocks.map(parse)
    }
  } finally {
    void reader.cancel()
  }
}

/** Lines end at line feeds alone: for an expression they would also end at U+2028, which a message may hold. */
function parse(block: string): StreamEvent {
  const lines = block.split('\n')
  const field = (name: string) =>
    lines
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .replace(/^ /, '')
  return { id: field('id'), type: field('event') ?? '', data: field('data') ?? '' }
}
