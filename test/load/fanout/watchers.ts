import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { markIn, nowMs } from './message.ts'

/** Asks for so many watchers of a stream. */
export type WatchersOrder = { url: string; token: string; count: number }
/** What the watchers have heard since they were last asked; `wrong`: out of order, twice, or behind a gap. */
export type Heard = { received: number; wrong: number; open: number; latenciesMs: number[] }

// A process of watchers: opens as many as it is ordered, says when they stand, and tells what they heard when it is asked.

const AT_ONCE = 50
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
let heard: Heard = { received: 0, wrong: 0, open: 0, latenciesMs: [] }

async function watch({ url, token }: WatchersOrder) {
  const request = get(url, { agent, headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`A watcher got ${response.statusCode}`)
  heard.open++
  let rest = ''
  let last: number | undefined
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    const frames = (rest + text).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) last = hear(frame, last)
  })
  response.once('close', () => heard.open--)
}

function hear(frame: string, last: number | undefined): number | undefined {
  const mark = markIn(frame)
  if (!mark) return last
  heard.received++
  heard.latenciesMs.push(nowMs() - mark.sentMs)
  if (last !== undefined && mark.number !== last + 1) heard.wrong++
  return mark.number
}

process.on('message', async (order: WatchersOrder | 'tell') => {
  if (order !== 'tell') {
    for (let left = order.count; left > 0; left -= AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, () => watch(order)))
  }
  process.send?.(heard)
  heard = { received: 0, wrong: 0, open: heard.open, latenciesMs: [] }
})
process.on('disconnect', () => process.exit())
