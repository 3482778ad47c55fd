import { openContext } from '../../../src/compose.ts'
import { readConfig } from '../../../src/config.ts'
import type { Target } from '../../../src/db/client.ts'
import { deliveryFigures } from '../../../src/domain/webhooks/figures.ts'
import { Waker } from '../../../src/domain/webhooks/waker.ts'
import { Opened } from '../../../src/opened.ts'
import { hearOthers } from '../../../src/other-processes.ts'
import { startWorker } from '../../../src/worker.ts'

/** What a test says to the worker that it starts as a process of its own, to be able to kill it. */
export type WorkerOrder = { target: Target; secretKey: string; graceMs: number }

const order: WorkerOrder = JSON.parse(process.argv[2] ?? '')
const config = readConfig({
  DATABASE_URL: 'postgres://given.by.the.test/database',
  SECRET_KEYS: order.secretKey,
  WEBHOOK_ALLOW_PRIVATE: 'on',
})
const opened = new Opened()
const waker = new Waker()
const { wake, onWake } = waker
const stop = new AbortController()
const { target, graceMs } = order
const context = await openContext(config, { target, opened, wake, onWake, stopping: stop.signal })
opened.use(hearOthers(context, { waker, target }))
opened.use(startWorker(context, { waker, graceMs }))
process.once('SIGTERM', async () => {
  await opened[Symbol.asyncDispose]()
  process.exit(0)
})
process.on('message', () => process.send?.(deliveryFigures.lostLeases))
process.send?.('ready')
