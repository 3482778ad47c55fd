import { statement } from '../../../db/statement.ts'
import { DEVICE_CODE_GRANT } from '../../../shared/grants.ts'
import type { ResourcePath } from '../../../shared/resource-paths.ts'
import { mint } from '../../access/token-format.ts'
import { requireGrantType } from '../../applications/grant-types.ts'
import type { CalledContext } from '../../core/context.ts'
import { sha256 } from '../../core/digest.ts'
import { Problem } from '../../core/problem.ts'
import { countAllOrRefuse, countsByAddress, rateLimits } from '../../core/rate-limits.ts'
import type { Scope } from '../../core/scopes.ts'
import { authenticateClient } from '../client/authenticate-client.ts'
import { unlessDeleted } from '../client/deleted-meanwhile.ts'
import { type ClientFields, presentedCredentials } from '../client/presented-credentials.ts'
import { DEVICE_CODE_LIFE, DEVICE_CODE_S } from '../lifetimes.ts'
import { omitEmpty } from '../parameters.ts'
import { readResource } from '../resource-parameter.ts'
import type { DeviceAuthorization } from '../resources.ts'
import { scopesWithin } from '../scope-parameter.ts'
import { POLL_INTERVAL_S } from './polls.ts'
import { hashesOfUserCode, newUserCode, showUserCode } from './user-code.ts'

export type DeviceRequest = ClientFields & { scope?: string | undefined; resource?: string | undefined }

/**
 * Gives a device a code to ask for tokens with, and one for its user to enter (RFC 8628, section 3.2). Throws what the
 * authentication of the client throws, `unauthorized_client`, `invalid_scope`, `invalid_target`, `rate_limited`.
 */
export async function authorizeDevice(ctx: CalledContext, request: DeviceRequest): Promise<DeviceAuthorization> {
  const fields = omitEmpty(request)
  const presented = presentedCredentials(ctx.caller, fields)
  const client = await authenticateClient(ctx, presented)
  requireGrantType(client, DEVICE_CODE_GRANT)
  const scopes = scopesWithin(fields.scope, client.scopes)
  const resource = readResource(ctx, fields.resource) ?? null
  await countCode(ctx)
  const gone = () => new Problem('invalid_client', 'client_id: was just deleted.', { scheme: presented.scheme })
  const { deviceCode, userCode } = await unlessDeleted(insertCodes(ctx, client.id, scopes, resource), gone)
  const verification_uri = `${ctx.publicUrl}/device`
  return {
    device_code: deviceCode,
    user_code: showUserCode(userCode),
    verification_uri,
    verification_uri_complete: `${verification_uri}?user_code=${showUserCode(userCode)}`,
    expires_in: DEVICE_CODE_S,
    interval: POLL_INTERVAL_S,
  }
}

/** Each is a row that stays for a while. By address alone: who counts by client lets a stranger use up what a public one has. */
async function countCode(ctx: CalledContext): Promise<void> {
  const counts = countsByAddress(rateLimits.deviceCodes, ctx.caller.address)
  await countAllOrRefuse(ctx, counts, 'Too many codes for devices were asked for.')
}

type Values = [hash: Buffer, userCodeHash: Buffer, clientId: string, scopes: Scope[], resource: ResourcePath | null]

const insertIfNew = statement<Values, { hash: Buffer }>(`
  insert into device_codes (hash, user_code_hash, client_id, scopes, resource, expires_at)
  values ($1, $2, $3, $4, $5, statement_timestamp() + interval '${DEVICE_CODE_LIFE}')
  on conflict (user_code_hash) do nothing returning hash`)

const TRIES_MAX = 5

/** Of 25 thousand million user codes the same one is rarely drawn twice; then another one is. */
async function insertCodes(
  { db, keyring }: CalledContext,
  clientId: string,
  scopes: Scope[],
  resource: ResourcePath | null,
) {
  const deviceCode = mint('device')
  for (let tried = 0; tried < TRIES_MAX; tried++) {
    const userCode = newUserCode()
    const [userCodeHash] = hashesOfUserCode(keyring, userCode)
    const [inserted] = await insertIfNew(db, sha256(deviceCode), userCodeHash, clientId, scopes, resource)
    if (inserted) return { deviceCode, userCode }
  }
  throw new Error('No user code was free')
}
