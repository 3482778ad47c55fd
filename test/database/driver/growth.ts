import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { driverFolder, report } from './fault.ts'

/**
 * The pool's queues under load that never lets up: each statement moves its connection out of one queue and into another,
 * and none is ever empty. Reports the time of a thousand moves after 200 and after 200,000 of them.
 */
type Queue = { length: number; push: (one: object) => void; remove: (one: object) => void; shift: () => object }

async function measure() {
  const { href } = pathToFileURL(join(driverFolder, 'src/queue.js'))
  const { default: makeQueue } = (await import(href)) as { default: () => Queue }
  const queue = makeQueue()
  const connections = Array.from({ length: 10 }, () => ({}))
  for (const connection of connections) queue.push(connection)
  const takeAndReturn = (times: number) => {
    for (let i = 0; i < times; i++) queue.push(queue.shift())
  }
  const moveThousand = () => {
    const since = performance.now()
    for (let i = 0; i < 1_000; i++) {
      const connection = connections[i % connections.length] ?? {}
      queue.remove(connection)
      queue.push(connection)
    }
    return performance.now() - since
  }
  takeAndReturn(200)
  const first = best(moveThousand)
  takeAndReturn(200_000)
  const last = best(moveThousand)
  return { first, last, length: queue.length }
}

/** The shortest of several runs: what the machine does besides makes a run longer, never shorter. */
const best = (measure: () => number) => Math.min(...Array.from({ length: 7 }, measure))

report(await measure())
