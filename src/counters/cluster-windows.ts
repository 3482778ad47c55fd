import cluster from 'node:cluster'
import { within } from '../time/within.ts'
import type { Limit } from './counters.ts'
import { MemoryWindows, type Taking, type Window, type Windows } from './windows.ts'

/** As those of worker-processes.ts, these messages keep their form between releases. */
type Question = { kind: 'window'; number: number; name: string; windowS: number; asked: Asked }
type Asked =
  | { verb: 'take'; slot: string; points: number; id: string }
  | { verb: 'peek'; slot: string }
  | { verb: 'giveBack'; slot: string; id: string }
/** Without a window where there is none. */
type Answer = { kind: 'window'; number: number; window?: Window | undefined }

/** Makes the primary process of a cluster count for all workers. Call it there, before the workers start. */
export function countForWorkers() {
  const limits = new Map<string, Windows>()
  const windowsOf = ({ name, windowS }: Question): Windows => {
    const windows = limits.get(name) ?? new MemoryWindows(windowS * 1000)
    limits.set(name, windows)
    return windows
  }
  cluster.on('message', async (worker, question: Question) => {
    if (question.kind !== 'window') return
    const { kind, number, asked } = question
    const window = await windowAfter(windowsOf(question), asked)
    worker.send({ kind, number, window } satisfies Answer, () => {}) // one that has ended asks no more
  })
}

async function windowAfter(windows: Windows, asked: Asked): Promise<Window | undefined> {
  switch (asked.verb) {
    case 'take':
      return windows.take(asked.slot, asked.points, asked.id)
    case 'peek':
      return windows.peek(asked.slot)
    case 'giveBack':
      return void (await windows.giveBack(asked.slot, asked.id))
  }
}

/** Has the primary count. Rejects where it does not answer within `answerMs`. */
export function clusterWindows(answerMs: number): (limit: Limit) => Windows {
  const waiting = new Map<number, (window: Window | undefined) => void>()
  let lastNumber = 0
  process.on('message', ({ kind, number, window }: Answer) => {
    if (kind === 'window') waiting.get(number)?.(window)
  })
  const late = () => {
    throw new Error(`The primary process has not counted within ${answerMs} ms`)
  }
  const ask = async ({ name, windowS }: Limit, asked: Asked): Promise<Window | undefined> => {
    const number = ++lastNumber
    const question: Question = { kind: 'window', number, name, windowS, asked }
    const answered = new Promise<Window | undefined>((resolve, reject) => {
      waiting.set(number, resolve)
      process.send?.(question, undefined, undefined, (error) => error && reject(error))
    })
    try {
      return await within(answerMs, answered, late)
    } finally {
      waiting.delete(number)
    }
  }
  return (limit) => ({
    take: (slot, points, id) => ask(limit, { verb: 'take', slot, points, id }) as Promise<Taking>, // as that verb answers
    peek: (slot) => ask(limit, { verb: 'peek', slot }),
    giveBack: async (slot, id) => void (await ask(limit, { verb: 'giveBack', slot, id })),
  })
}
