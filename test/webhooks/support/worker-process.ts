import { readConfig } from '../../../src/config.ts'
import type { Target } from '../../../src/db/client.ts'
import { Waker } from '../../../src/domain/events/wake-hub.ts'
import { deliveryFigures } from '../../../src/domain/webhooks/worker/metrics.ts'
import { startWorker } from '../../../src/process/background/delivery.ts'
import { hearOthers } from '../../../src/process/background/notifications.ts'
import { openContext } from '../../../src/process/context.ts'
import { Opened } from '../../../src/process/disposables.ts'

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
