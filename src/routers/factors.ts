import * as z from 'zod'
import { confirmTotp, startTotp } from '../domain/factors/authenticator.ts'
import { listFactors } from '../domain/factors/list.ts'
import { renewRecoveryCodes } from '../domain/factors/recovery-codes.ts'
import { removeTotp } from '../domain/factors/remove.ts'
import { Factors, NewFactor, TotpEnrolment } from '../domain/factors/resources.ts'
import { text } from './fields.ts'
import { procedure } from './operation.ts'
import { router } from './trpc.ts'

export const totpRouter = router({
  start: procedure({ access: 'session' })
    .input(z.object({}))
    .output(TotpEnrolment)
    .mutation(({ ctx }) => startTotp(ctx)),

  confirm: procedure({ access: 'session' })
    .input(z.object({ code: text() }))
    .output(NewFactor)
    .mutation(({ ctx, input }) => confirmTotp(ctx, input)),

  remove: procedure({ access: 'session' })
    .input(z.object({}))
    .output(z.void())
    .mutation(({ ctx }) => removeTotp(ctx)),
})

/** What protects an account beside its password. */
export const factorsRouter = router({
  list: procedure({ access: 'session' })
    .input(z.object({}))
    .output(Factors)
    .query(({ ctx }) => listFactors(ctx)),

  renewRecoveryCodes: procedure({ access: 'session' })
    .input(z.object({}))
    .output(z.object({ recovery_codes: z.array(z.string()) }))
    .mutation(({ ctx }) => renewRecoveryCodes(ctx)),
})
