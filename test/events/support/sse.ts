import { once } from 'node:events'
import http from 'node:http'

export type SseEvent = { id: string | undefined; event: string | undefined; data: string | undefined }

/** Reads a stream of events on a connection of its own, which can be left unread. */
export async function readSse(url: string, headers: Record<string, string>) {
  const request = http.get(url, { agent: false, headers: { accept: 'text/event-stream', ...headers } })
  request.on('error', () => {}) // when it is left
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  const events: SseEvent[] = []
  let text = ''
  let changed = () => {}
  let hasEnded = false
  response.setEncoding('utf8')
  response.on('data', (part: string) => {
    const blocks = (text + part).split('\n\n')
    text = blocks.pop() ?? ''
    events.push(...blocks.map(parse).filter(({ id, event }) => id !== undefined || event !== undefined))
    changed()
  })
  response.on('error', () => {})
  response.on('close', () => {
    hasEnded = true
    changed()
  })
  const until = async (isDone: () => boolean) => {
    while (!isDone()) {
      if (hasEnded) throw new Error(`The stream has ended: ${response.statusCode} ${text}`)
      await new Promise<void>((resolve) => {
        changed = resolve
      })
    }
  }
  return {
    response: { status: response.statusCode, headers: new Headers(response.headers as Record<string, string>) },
    /** The next events; the first one of a stream is its beginning, which has an identifier alone. */
    async take(count: number): Promise<[SseEvent, ...SseEvent[]]> {
      await until(() => events.length >= count)
      return events.splice(0, count) as [SseEvent, ...SseEvent[]]
    },
    async untilEnd(): Promise<SseEvent[]> {
      await until(() => events.at(-1)?.event === 'end')
      return events.splice(0)
    },
    /** Resolves when the server has ended it, whatever it said. */
    ended: () => until(() => hasEnded),
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    [Symbol.dispose]: () => void request.destroy(),
  }
}

function parse(block: string): SseEvent {
  const lines = block.split('\n')
  const field = (name: string) =>
    lines
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trimStart()
  return { id: field('id'), event: field('event'), data: field('data') }
}
