import * as z from 'zod'
import { scopes } from '../domain/core/scopes.ts'
import { inspectOwnCredential } from '../domain/oauth/inspect.ts'
import { diagnose } from '../domain/webhooks/secrets/diagnose.ts'
import { text } from './fields.ts'
import { procedure } from './operation.ts'
import { router } from './trpc.ts'

const kinds = [
  'access_token',
  'refresh_token',
  'api_key',
  'client_secret',
  'overlay_key',
  'stream_key',
  'unknown',
] as const

/** Nothing, too: that it is missing may be the mistake. */
const given = () => z.string()

/** Diagnoses a credential or a signature for a developer. Never by GET: URLs are logged, and a secret must not be. */
export const doctorRouter = router({
  credential: procedure({ access: 'session', role: 'developer' })
    .input(z.object({ credential: text() }))
    .output(
      z.object({
        kind: z.enum(kinds),
        active: z.boolean(),
        client_id: z.string().nullable(),
        user_id: z.string().nullable(),
        username: z.string().nullable(),
        scopes: z.array(z.enum(scopes)),
        expires_at: z.string().nullable(),
      }),
    )
    .mutation(({ ctx, input }) => inspectOwnCredential(ctx, input.credential)),

  signature: procedure({ access: 'session' })
    .input(z.object({ secret: given(), id: given(), timestamp: given(), signature: given(), body: given() }))
    .output(z.object({ valid: z.boolean(), reason: z.string() }))
    .mutation(({ ctx, input: { secret, body, ...head } }) =>
      diagnose(secret, head, Buffer.from(body), ctx.now().getTime() / 1000),
    ),
})
