import { readConfig } from '../../../src/config.ts'
import type { DatabaseTarget } from '../../../src/db/client.ts'
import { WakeHub } from '../../../src/domain/events/wake-hub.ts'
import { deliveryMetrics } from '../../../src/domain/webhooks/worker/metrics.ts'
import { startWorker } from '../../../src/process/background/delivery.ts'
import { listenToNotifications } from '../../../src/process/background/notifications.ts'
import { openContext } from '../../../src/process/context.ts'
import { Disposables } from '../../../src/process/disposables.ts'

/** The messages of a test to a worker that it starts as a process of its own, so that it can be killed. */
export type WorkerOrder = { target: DatabaseTarget; secretKey: string; graceMs: number }

const order: WorkerOrder = JSON.parse(process.argv[2] ?? '')
const config = readConfig({
  DATABASE_URL: 'postgres://given.by.the.test/database',
  SECRET_KEYS: order.secretKey,
  WEBHOOK_ALLOW_PRIVATE: 'on',
})
const opened = new Disposables()
const wakeHub = new WakeHub()
const { wake, onWake } = wakeHub
const stop = new AbortController()
const { target, graceMs } = order
const context = await openContext(config, { target, disposables: opened, wake, onWake, stopping: stop.signal })
opened.use(listenToNotifications(context, { wakeHub, target }))
opened.use(startWorker(context, { wakeHub, graceMs }))
process.once('SIGTERM', async () => {
  await opened[Symbol.asyncDispose]()
  process.exit(0)
})
process.on('message', () => process.send?.(deliveryMetrics.lostLeases))
process.send?.('ready')
