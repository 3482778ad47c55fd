import * as z from 'zod'
import { LoginSession } from '../domain/access/resources.ts'
import { listSessions, revokeSession } from '../domain/access/sessions.ts'
import { getAccount } from '../domain/accounts/account.ts'
import { changeEmail, resendVerification } from '../domain/accounts/addresses.ts'
import { listOwnAudit } from '../domain/accounts/audit-log.ts'
import { ClosingEffects, closeOwnAccount, listClosingEffects } from '../domain/accounts/closing/close.ts'
import { changePassword } from '../domain/accounts/new-password.ts'
import { Account } from '../domain/accounts/resources.ts'
import { AuditRecord } from '../domain/audit/resources.ts'
import { Timestamp } from '../domain/core/timestamp.ts'
import {
  changeNoticeSettings,
  getNoticeSettings,
  NoticeSettings,
  NoticeSettingsChange,
} from '../domain/mail/switches.ts'
import { listAllowed, revokeAllowed } from '../domain/oauth/allowed-applications.ts'
import { AllowedApplication } from '../domain/oauth/resources.ts'
import { deleteHearingSubscription } from '../domain/webhooks/subscriptions/delete.ts'
import { factorsRouter, passkeysRouter, stepUpRouter, totpRouter } from './factors.ts'
import { page, paging, text } from './fields.ts'
import { procedure } from './operation.ts'
import { router } from './trpc.ts'

/** What people do with their own account, on our own pages. */
export const accountRouter = router({
  me: procedure({ access: 'session', needs: ['enrolment'] })
    .input(z.object({}))
    .output(Account)
    .query(({ ctx }) => getAccount(ctx)),

  changeEmail: procedure({ access: 'session', needs: ['stepUp'] })
    .input(z.object({ email: text(), password: text() }))
    .output(Account)
    .mutation(({ ctx, input }) => changeEmail(ctx, input)),

  resendVerification: procedure({ access: 'session' })
    .input(z.object({}))
    .output(z.void())
    .mutation(({ ctx }) => resendVerification(ctx)),

  changePassword: procedure({ access: 'session', needs: ['enrolment', 'stepUp'] })
    .input(z.object({ current_password: text(), new_password: text() }))
    .output(z.void())
    .mutation(({ ctx, input }) => changePassword(ctx, input)),

  /** Lets the caller prove who they are before the browser asks for the file at `/export`. */
  dataExport: router({
    begin: procedure({ access: 'session', needs: ['enrolment', 'stepUp'] })
      .input(z.object({}))
      .output(z.object({ path: z.string() }))
      .mutation(() => ({ path: '/export' })),
  }),

  closing: router({
    /** What becomes of the caller's applications. */
    effects: procedure({ access: 'session' })
      .input(z.object({}))
      .output(ClosingEffects)
      .query(({ ctx }) => listClosingEffects(ctx)),

    close: procedure({ access: 'session', needs: ['enrolment', 'stepUp'] })
      .input(z.object({ username: text() }))
      .output(z.object({ erase_at: Timestamp }))
      .mutation(({ ctx, input }) => closeOwnAccount(ctx, input)),
  }),

  audit: procedure({ access: 'session' })
    .input(z.object(paging()))
    .output(page(AuditRecord))
    .query(({ ctx, input }) => listOwnAudit(ctx, input)),

  notifications: router({
    get: procedure({ access: 'session' })
      .input(z.object({}))
      .output(NoticeSettings)
      .query(({ ctx }) => getNoticeSettings(ctx)),

    change: procedure({ access: 'session' })
      .input(NoticeSettingsChange)
      .output(NoticeSettings)
      .mutation(({ ctx, input }) => changeNoticeSettings(ctx, input)),
  }),

  factors: factorsRouter,
  totp: totpRouter,
  passkeys: passkeysRouter,
  stepUp: stepUpRouter,

  sessions: router({
    list: procedure({ access: 'session' })
      .input(z.object(paging()))
      .output(page(LoginSession))
      .query(({ ctx, input }) => listSessions(ctx, input)),

    revoke: procedure({ access: 'session' })
      .input(z.object({ id: text() }))
      .output(z.void())
      .mutation(({ ctx, input }) => revokeSession(ctx, input)),
  }),

  grants: router({
    list: procedure({ access: 'session' })
      .input(z.object(paging()))
      .output(page(AllowedApplication))
      .query(({ ctx, input }) => listAllowed(ctx, input)),

    revoke: procedure({ access: 'session' })
      .input(z.object({ application_id: text() }))
      .output(z.void())
      .mutation(({ ctx, input }) => revokeAllowed(ctx, input)),
  }),

  webhooks: router({
    delete: procedure({ access: 'session' })
      .input(z.object({ id: text() }))
      .output(z.void())
      .mutation(({ ctx, input }) => deleteHearingSubscription(ctx, input)),
  }),
})
