import * as z from 'zod'
import { createKey, listKeys, revokeKey } from '../../domain/applications/api-keys.ts'
import { createApplication, deleteApplication, updateApplication } from '../../domain/applications/applications.ts'
import { findAttention } from '../../domain/applications/attention/needs-attention.ts'
import { Attention } from '../../domain/applications/attention/resources.ts'
import { listApplicationAudit } from '../../domain/applications/audit-log.ts'
import { listSecrets, revokeSecret, rotateSecret } from '../../domain/applications/client-secrets.ts'
import { getApplication, listApplications } from '../../domain/applications/list.ts'
import {
  ApiKey,
  Application,
  ClientSecret,
  CreatedApiKey,
  CreatedApplication,
} from '../../domain/applications/resources.ts'
import { rollKey } from '../../domain/applications/roll-api-key.ts'
import { AuditRecord } from '../../domain/audit/resources.ts'
import { TokenResponse } from '../../domain/core/resources.ts'
import { apiScopes, scopes } from '../../domain/core/scopes.ts'
import { issuePlaygroundToken } from '../../domain/oauth/playground-token.ts'
import { grantTypes } from '../../shared/grants.ts'
import { listOf, page, paging, text } from '../fields.ts'
import { procedure } from '../operation.ts'
import { router } from '../trpc.ts'

const registration = () => ({
  website_url: text().nullish(),
  redirect_uris: listOf(text()).optional(),
  grant_types: listOf(z.enum(grantTypes)).optional(),
  scopes: listOf(z.enum(scopes)).optional(),
  /** Read by the verb, which says what is wrong with it. */
  jwks: z.record(z.string(), z.unknown()).optional(),
})
const byId = () => z.object({ id: text() })

const secretsRouter = router({
  list: procedure({ access: 'session', role: 'developer' })
    .input(byId())
    .output(z.array(ClientSecret))
    .query(({ ctx, input }) => listSecrets(ctx, input)),

  revoke: procedure({ access: 'session', role: 'developer' })
    .input(z.object({ id: text(), secret_id: text() }))
    .output(z.void())
    .mutation(({ ctx, input }) => revokeSecret(ctx, input)),
})

const keysRouter = router({
  list: procedure({ access: 'session', role: 'developer' })
    .input(z.object({ application_id: text(), ...paging() }))
    .output(page(ApiKey))
    .query(({ ctx, input }) => listKeys(ctx, input)),

  create: procedure({ access: 'session', role: 'developer', needs: ['stepUp'] })
    .input(
      z.object({
        application_id: text(),
        name: text(),
        scopes: listOf(z.enum(apiScopes)).min(1).optional(),
        expires_in_days: z.number().int().optional(),
      }),
    )
    .output(CreatedApiKey)
    .mutation(({ ctx, input }) => createKey(ctx, input)),

  roll: procedure({ access: 'session', role: 'developer', needs: ['stepUp'] })
    .input(z.object({ id: text(), expires_in_days: z.number().int().optional() }))
    .output(CreatedApiKey)
    .mutation(({ ctx, input }) => rollKey(ctx, input)),

  revoke: procedure({ access: 'session', role: 'developer' })
    .input(byId())
    .output(z.void())
    .mutation(({ ctx, input }) => revokeKey(ctx, input)),
})

/** What developers do with their applications, on our own pages. */
export const applicationsRouter = router({
  create: procedure({ access: 'session', needs: ['stepUp'] })
    .input(z.object({ name: text(), confidential: z.boolean(), dpop_bound: z.boolean().optional(), ...registration() }))
    .output(CreatedApplication)
    .mutation(({ ctx, input }) => createApplication(ctx, input)),

  list: procedure({ access: 'session', role: 'viewer' })
    .input(z.object(paging()))
    .output(page(Application))
    .query(({ ctx, input }) => listApplications(ctx, input)),

  get: procedure({ access: 'session', role: 'viewer' })
    .input(byId())
    .output(Application)
    .query(({ ctx, input }) => getApplication(ctx, input)),

  update: procedure({ access: 'session', role: 'developer', needs: ['stepUp'] })
    .input(z.object({ id: text(), name: text().optional(), ...registration() }))
    .output(Application)
    .mutation(({ ctx, input }) => updateApplication(ctx, input)),

  delete: procedure({ access: 'session', needs: ['stepUp'] })
    .input(byId())
    .output(z.void())
    .mutation(({ ctx, input }) => deleteApplication(ctx, input)),

  attention: procedure({ access: 'session', role: 'viewer' })
    .input(z.object({}))
    .output(Attention)
    .query(({ ctx }) => findAttention(ctx)),

  audit: procedure({ access: 'session', role: 'viewer' })
    .input(z.object({ application_id: text(), ...paging() }))
    .output(page(AuditRecord))
    .query(({ ctx, input }) => listApplicationAudit(ctx, input)),

  rotateSecret: procedure({ access: 'session', role: 'developer', needs: ['stepUp'] })
    .input(byId())
    .output(z.object({ client_secret: z.string() }))
    .mutation(({ ctx, input }) => rotateSecret(ctx, input)),

  issueToken: procedure({ access: 'session', role: 'developer', needs: ['stepUp'] })
    .input(z.object({ application_id: text(), stands_for: z.enum(['me', 'application']) }))
    .output(TokenResponse)
    .mutation(({ ctx, input }) => issuePlaygroundToken(ctx, input)),

  secrets: secretsRouter,
  keys: keysRouter,
})
