import * as z from 'zod'
import { WorkReport } from '../domain/core/resources.ts'
import { workByCron } from '../domain/webhooks/worker/work-by-cron.ts'
import { operation } from './operation.ts'
import { router } from './trpc.ts'

const facts = {
  tag: 'Internal',
  summary: 'Process due webhook deliveries',
  description: 'Counts what this call settled, within 25 seconds. Calls may overlap.',
  access: 'cron',
  envelope: 'none',
} as const

export const internalRouter = router({
  workByGet: operation('GET /cron/webhook-deliveries', { ...facts, id: 'processDeliveriesByGet' })
    .input(z.object({}))
    .output(WorkReport)
    .mutation(({ ctx }) => workByCron(ctx)),

  workByPost: operation('POST /cron/webhook-deliveries', { ...facts, id: 'processDeliveries' })
    .input(z.object({}))
    .output(WorkReport)
    .mutation(({ ctx }) => workByCron(ctx)),
})
