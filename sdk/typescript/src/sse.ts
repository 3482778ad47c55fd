/** What stands between two empty lines of a stream; `id` also where nothing else does. */
export type StreamPart = { id: string | undefined; event: string; data: string }

/** The service gives a sign of life every 15 s: who hears nothing for so long has no connection any more. */
const SILENT_MS = 40_000

/**
 * The parts of a stream of server-sent events. Ends when the service ends it, and throws when the connection is lost or was silent
 * for too long.
 */
export async function* partsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<StreamPart, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await heard(reader.read())
      if (done) return
      const blocks = (rest + value).split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield partIn(block)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** For an expression lines would also end at U+2028, which a message may hold. */
function partIn(block: string): StreamPart {
  const lines = block.split(/\r?\n/)
  const valuesOf = (name: string) =>
    lines
      .filter((line) => line === name || line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
  return { id: valuesOf('id').at(-1), event: valuesOf('event').at(-1) ?? '', data: valuesOf('data').join('\n') }
}

async function heard<Chunk>(reading: Promise<Chunk>): Promise<Chunk> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The stream is silent.')), SILENT_MS)
  })
  try {
    return await Promise.race([reading, silence])
  } finally {
    clearTimeout(timer)
  }
}
