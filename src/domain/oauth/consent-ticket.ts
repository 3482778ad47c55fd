import * as z from 'zod'
import { resourcePaths } from '../../shared/resource-paths.ts'
import { openCarried, signCarried } from '../access/carried.ts'
import type { Context } from '../core/context.ts'
import { scopes } from '../core/scopes.ts'

const wishes = { client: z.string(), scopes: z.array(z.enum(scopes)), resource: z.enum(resourcePaths).optional() }

/** What the consent page asks, carried by its form. */
const kinds = {
  authorization: {
    type: 'authz+jwt',
    schema: z.object({
      ...wishes,
      redirect: z.string(),
      challenge: z.string(),
      jkt: z.string().optional(),
      nonce: z.string().optional(),
      state: z.string().optional(),
    }),
  },
  device: { type: 'device+jwt', schema: z.object({ ...wishes, code: z.string() }) },
} as const

type Kind = keyof typeof kinds
type Asked<Of extends Kind> = z.output<(typeof kinds)[Of]['schema']>

const noteOf = (kind: Kind) =>
  ({ purpose: 'consent-ticket', type: kinds[kind].type, lifeS: 600, bearer: 'session' }) as const

/** Signs what a session is asked. The ticket is valid for ten minutes and in that session only. */
export const signTicket = <Of extends Kind>(
  ctx: Context,
  kind: Of,
  secret: string,
  asked: Asked<Of>,
): Promise<string> => signCarried(ctx, noteOf(kind), secret, asked)

/** What a session was asked; undefined for a ticket that is forged, expired, of another session, or about something else. */
export async function openTicket<Of extends Kind>(
  ctx: Context,
  kind: Of,
  secret: string,
  signed: string,
): Promise<Asked<Of> | undefined> {
  const claims = await openCarried(ctx, noteOf(kind), secret, signed)
  return kinds[kind].schema.safeParse(claims).data as Asked<Of> | undefined
}
