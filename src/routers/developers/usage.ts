import * as z from 'zod'
import { getUsage } from '../../domain/usage/read.ts'
import { Usage } from '../../domain/usage/resources.ts'
import { text } from '../fields.ts'
import { procedure } from '../operation.ts'
import { router } from '../trpc.ts'

/** How much an application asks for, for its owner. */
export const usageRouter = router({
  get: procedure({ access: 'session', role: 'viewer' })
    .input(z.object({ application_id: text(), span: z.enum(['day', 'month']).default('day') }))
    .output(Usage)
    .query(({ ctx, input }) => getUsage(ctx, input)),
})
