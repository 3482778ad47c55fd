import { grantTypes } from '../../shared/grants.ts'
import { authenticate } from '../access/authenticate.ts'
import { createKey, listKeys, revokeKey } from '../applications/api-keys.ts'
import { createApplication, updateApplication } from '../applications/applications.ts'
import { rotateSecret } from '../applications/client-secrets.ts'
import { listApplications } from '../applications/list.ts'
import type { Caller } from '../core/caller.ts'
import type { UserContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { apiScopes, scopes } from '../core/scopes.ts'
import { authenticateClient } from '../oauth/client/authenticate-client.ts'

type Wanted = { name: string; redirect_uri: string }
type Registration = { name: string; confidential: boolean; redirect_uris: string[] }

/**
 * A confidential application of the caller's, with a working secret: the given one while it works, otherwise a new one.
 */
export async function prepareConfidential(ctx: UserContext, { name, redirect_uri }: Wanted, secret?: string) {
  const registration = { name, confidential: true, redirect_uris: [redirect_uri] }
  const { id, client_secret } = await prepareApplication(ctx, registration)
  if (client_secret !== null) return { client_id: id, client_secret, redirect_uri }
  if (secret !== undefined && (await isSecretOf(ctx, id, secret))) {
    return { client_id: id, client_secret: secret, redirect_uri }
  }
  return { client_id: id, ...(await rotateSecret(ctx, { id })), redirect_uri }
}

/** A public application of the caller's, with which the reference page can log people in, too. */
export async function preparePublic(ctx: UserContext, { name, redirect_uri }: Wanted) {
  const redirect_uris = [redirect_uri, ...referenceRedirects(ctx.publicUrl)]
  const { id } = await prepareApplication(ctx, { name, confidential: false, redirect_uris })
  return { client_id: id, redirect_uri }
}

const REFERENCE_REDIRECT = '/docs/oauth2-redirect.html'

/** On one's own machine the page is opened by either name; http elsewhere is no address that may be registered. */
function referenceRedirects(publicUrl: string): string[] {
  if (publicUrl.startsWith('https:')) return [publicUrl + REFERENCE_REDIRECT]
  return ['127.0.0.1', 'localhost'].map((host) => `http://${host}${REFERENCE_REDIRECT}`)
}

/**
 * Finds the caller's application by its name and updates it, or creates it; `client_secret` is null unless it was
 * created.
 */
async function prepareApplication(ctx: UserContext, { name, confidential, redirect_uris }: Registration) {
  const { items } = await listApplications(ctx, { limit: 100 })
  const found = items.find((one) => one.name === name && one.confidential === confidential)
  const grant_types = grantTypes.filter((type) => confidential || type !== 'client_credentials')
  const wanted = { scopes, redirect_uris, grant_types }
  if (!found) return createApplication(ctx, { name, confidential, ...wanted })
  if (!hasAll(found, wanted)) await updateApplication(ctx, { id: found.id, ...wanted })
  return { ...found, client_secret: null }
}

type Registered = Record<'scopes' | 'redirect_uris' | 'grant_types', readonly string[]>

const hasAll = (registered: Registered, wanted: Registered) =>
  (['scopes', 'redirect_uris', 'grant_types'] as const).every((field) =>
    wanted[field].every((one) => registered[field].includes(one)),
  )

async function isSecretOf(ctx: UserContext, id: string, secret: string): Promise<boolean> {
  try {
    await authenticateClient({ ...ctx, caller: ourselves }, { id, secret, scheme: 'Bearer' })
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

const ourselves: Caller = {
  authorization: undefined,
  session: undefined,
  address: 'demo',
  isForwarded: false,
  requestId: 'demo',
  userAgent: undefined,
}

const KEY_NAME = 'Demonstration'

/** A key of an application with every scope: the given one while it works, otherwise a new one that replaces it. */
export async function prepareKey(ctx: UserContext, applicationId: string, key?: string): Promise<string> {
  if (key !== undefined && (await isKeyOf(ctx, applicationId, key))) return key
  const { items } = await listKeys(ctx, { application_id: applicationId, limit: 100 })
  const forgotten = items.filter(({ name, revoked_at }) => name === KEY_NAME && revoked_at === null)
  for (const { id } of forgotten) await revokeKey(ctx, { id })
  return (await createKey(ctx, { application_id: applicationId, name: KEY_NAME })).key
}

async function isKeyOf(ctx: UserContext, applicationId: string, key: string): Promise<boolean> {
  try {
    const { clientId, scopes: granted } = await authenticate(ctx, key)
    return clientId === applicationId && apiScopes.every((scope) => granted.includes(scope))
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
