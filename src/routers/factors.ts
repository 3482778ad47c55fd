import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import * as z from 'zod'
import { stepUp, stepUpWays } from '../domain/accounts/step-up.ts'
import { confirmTotp, startTotp } from '../domain/factors/authenticator.ts'
import { listFactors } from '../domain/factors/list.ts'
import { PasskeyAssertion } from '../domain/factors/passkey-assertion.ts'
import { finishPasskey, type PasskeyCreation, startPasskey } from '../domain/factors/passkey-registration.ts'
import { removePasskey, renamePasskey } from '../domain/factors/passkeys.ts'
import { renewRecoveryCodes } from '../domain/factors/recovery-codes.ts'
import { removeTotp } from '../domain/factors/remove.ts'
import { Factors, NewFactor, TotpEnrolment } from '../domain/factors/resources.ts'
import { NAME_LENGTH_MAX } from '../shared/limits.ts'
import { text } from './fields.ts'
import { procedure } from './operation.ts'
import { router } from './trpc.ts'

/** By these a second factor is set up, so they work before there is one. */
const enrolling = () => procedure({ access: 'session', needs: ['enrolment'] })
const changing = () => procedure({ access: 'session', needs: ['enrolment', 'stepUp'] })

/** As the browser's own types have it; who reads it judges every part. */
const browserObject = <Of>() =>
  z.custom<Of>((value) => typeof value === 'object' && value !== null, 'must be an object')
const passkeyName = () =>
  text().refine((name) => [...name].length <= NAME_LENGTH_MAX, `must have at most ${NAME_LENGTH_MAX} characters`)

export const totpRouter = router({
  start: changing()
    .input(z.object({}))
    .output(TotpEnrolment)
    .mutation(({ ctx }) => startTotp(ctx)),

  confirm: changing()
    .input(z.object({ code: text() }))
    .output(NewFactor)
    .mutation(({ ctx, input }) => confirmTotp(ctx, input)),

  remove: changing()
    .input(z.object({}))
    .output(z.void())
    .mutation(({ ctx }) => removeTotp(ctx)),
})

export const passkeysRouter = router({
  start: changing()
    .input(z.object({}))
    .output(browserObject<PasskeyCreation>())
    .mutation(({ ctx }) => startPasskey(ctx)),

  finish: changing()
    .input(z.object({ name: passkeyName(), response: browserObject<RegistrationResponseJSON>() }))
    .output(NewFactor)
    .mutation(({ ctx, input }) => finishPasskey(ctx, input)),

  rename: enrolling()
    .input(z.object({ id: text(), name: passkeyName() }))
    .output(z.void())
    .mutation(({ ctx, input }) => renamePasskey(ctx, input)),

  remove: changing()
    .input(z.object({ id: text() }))
    .output(z.void())
    .mutation(({ ctx, input }) => removePasskey(ctx, input)),
})

/** What protects an account beside its password. */
export const factorsRouter = router({
  list: enrolling()
    .input(z.object({}))
    .output(Factors)
    .query(({ ctx }) => listFactors(ctx)),

  renewRecoveryCodes: changing()
    .input(z.object({}))
    .output(z.object({ recovery_codes: z.array(z.string()) }))
    .mutation(({ ctx }) => renewRecoveryCodes(ctx)),
})

/** Proving once more who one is, in a session that goes on. */
export const stepUpRouter = router({
  ways: enrolling()
    .input(z.object({}))
    .output(browserObject<Awaited<ReturnType<typeof stepUpWays>>>())
    .query(({ ctx }) => stepUpWays(ctx)),

  prove: enrolling()
    .input(z.object({ password: text().optional(), code: text().optional(), passkey: PasskeyAssertion.optional() }))
    .output(z.void())
    .mutation(({ ctx, input }) => stepUp(ctx, input)),
})
