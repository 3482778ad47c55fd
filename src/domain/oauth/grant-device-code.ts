import type { Database } from '../../db/client.ts'
import { statement } from '../../db/statement.ts'
import { DEVICE_CODE_GRANT } from '../../shared/grants.ts'
import type { ResourcePath } from '../../shared/resource-paths.ts'
import type { CalledContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import type { TokenResponse } from '../core/resources.ts'
import type { Scope } from '../core/scopes.ts'
import type { InTransaction } from '../core/transaction.ts'
import type { Client } from './client/authenticate-client.ts'
import { clientEndpoints } from './client/client-endpoints.ts'
import { isTooSoon } from './device/polls.ts'
import { defineGrant } from './grant.ts'
import { closedAccount, refusedGrant } from './grant-refusals.ts'
import { loginOf, redeemOnce, requireClient, requireParameter, startGrantOf } from './grant-steps.ts'
import { narrowResource, readResource, resourceParameter } from './resource-parameter.ts'

/**
 * What a device asks again and again with its code (RFC 8628, section 3.4): tokens, once its user has allowed that. Throws
 * `authorization_pending`, `slow_down`, `access_denied`, `expired_token`, and `invalid_grant` for a code that is unknown or used.
 */
export const deviceCodeGrant = defineGrant({
  grantType: DEVICE_CODE_GRANT,
  isExtension: true,
  parameters: {
    device_code: {
      description: 'With the grant for devices: the code of the device authorization.',
      example: 'lsdc_0000000000000000000000000000000000000000000AAAAAA',
      isSecret: true,
      isExtension: true,
    },
    resource: resourceParameter,
  },
  endpoints: { device_authorization_endpoint: clientEndpoints.device_authorization },

  async exchange(ctx, presented, { device_code, resource: address }) {
    const client = await requireClient(ctx, presented, DEVICE_CODE_GRANT)
    const value = requireParameter('device_code', device_code)
    const resource = readResource(ctx, address)
    const findUser = (db: Database, hash: Buffer, clientId: string) => findAllowed(ctx, db, hash, clientId)
    const redeemable = { client, kind: 'device', parameter: 'device_code', value, findUser, unknown: UNKNOWN } as const
    return redeemOnce(ctx, redeemable, (tx, hash, jkt) => redeemCode(tx, client, { hash, jkt, resource }))
  },
})

const UNKNOWN = 'is unknown, or of another application.'

type Asked = { user_id: string | null; is_allowed: boolean | null; is_expired: boolean; is_consumed: boolean }

const findAsked = statement<[hash: Buffer, clientId: string], Asked>(`
  select user_id, is_allowed, expires_at <= statement_timestamp() as is_expired, consumed_at is not null as is_consumed
    from device_codes where hash = $1 and client_id = $2`)

/** Who has allowed it. Reads and writes nothing while nobody has answered, so that waiting costs next to nothing. */
async function findAllowed(ctx: CalledContext, db: Database, hash: Buffer, clientId: string) {
  const [asked] = await findAsked(db, hash, clientId)
  if (!asked) return []
  if (asked.is_consumed) throw usedCode()
  if (asked.is_expired) throw new Problem('expired_token', 'device_code: has expired. Begin again.')
  if (asked.user_id !== null && asked.is_allowed) return [{ user_id: asked.user_id }]
  if (asked.is_allowed === false) throw new Problem('access_denied', 'device_code: the access was denied.')
  if (await isTooSoon(ctx, hash)) {
    throw new Problem(
      'slow_down',
      'device_code: was asked for too soon. Wait five seconds longer than before each time.',
    )
  }
  throw new Problem('authorization_pending', 'device_code: nobody has answered yet.')
}

const usedCode = () => refusedGrant('device_code: was used before.')

type Allowed = {
  user_id: string
  scopes: Scope[]
  resource: ResourcePath | null
  authenticated_at: string | null
  amr: string[] | null
  is_consumed: boolean
  is_user_active: boolean
}

/** Locks user and client before the code, in the order in which a deletion locks them; parallel questions wait for each other. */
const lockAllowed = statement<[hash: Buffer, clientId: string], Allowed>(`
  select d.user_id, d.scopes, d.resource, d.authenticated_at, d.amr, d.consumed_at is not null as is_consumed,
         u.disabled_at is null as is_user_active
    from device_codes d
    join clients c on c.id = d.client_id
    join users u on u.id = d.user_id
   where d.hash = $1 and d.client_id = $2 and d.is_allowed
     for share of u
     for key share of c
     for update of d`)

const consumeCode = statement<[hash: Buffer], never>(
  'update device_codes set consumed_at = statement_timestamp() where hash = $1',
)

async function redeemCode(
  tx: InTransaction<CalledContext>,
  client: Client,
  { hash, jkt, resource: wanted }: { hash: Buffer; jkt: string | null; resource: ResourcePath | undefined },
): Promise<TokenResponse | Problem> {
  const [code] = await lockAllowed(tx.db, hash, client.id)
  if (!code || code.is_consumed) return usedCode()
  if (!code.is_user_active) return closedAccount('device_code')
  const tokenResource = narrowResource(code.resource, wanted)
  if (tokenResource instanceof Problem) return tokenResource
  await consumeCode(tx.db, hash)
  const { user_id: userId, resource } = code
  const scopes = code.scopes.filter((scope) => client.scopes.includes(scope))
  return startGrantOf(tx, client, { userId, scopes, resource, tokenResource, login: loginOf(code), jkt })
}
