import * as z from 'zod'
import { grantTypes } from '../../shared/grants.ts'
import { roles } from '../../shared/roles.ts'
import { scopes } from '../core/scopes.ts'
import { Timestamp } from '../core/timestamp.ts'
import { ClientKeys } from './public-keys.ts'

/** An application of a third party; its `id` is the `client_id` of OAuth. */
export const Application = z.object({
  id: z.string(),
  name: z.string(),
  website_url: z.string().nullable(),
  /** Whether it can keep a secret. */
  confidential: z.boolean(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.enum(grantTypes)),
  scopes: z.array(z.enum(scopes)),
  /** The public keys of an application that signs assertions instead of sending a secret. */
  jwks: ClientKeys.nullable(),
  /** Whether its tokens are bound to a key that it has to prove it holds (RFC 9449). */
  dpop_bound: z.boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  /** The hour of its last call; null when it has called nothing in the time for which usage is kept. */
  last_called_at: Timestamp.nullable(),
  /** When the operator stopped it: since then its credentials are refused and its webhooks are off. */
  disabled_at: Timestamp.nullable(),
  /** What the reader is in it; the operator is told `owner`. */
  role: z.enum(roles),
})
/** `client_secret` is shown only here; null for an application that signs, and for a public one. */
export const CreatedApplication = Application.extend({ client_secret: z.string().nullable() })

/** A client secret without its value, which is shown once. */
export const ClientSecret = z.object({
  id: z.string(),
  last4: z.string(),
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
})

/** An API key without its value, which is shown once. */
export const ApiKey = z.object({
  id: z.string(),
  application_id: z.string(),
  name: z.string(),
  first8: z.string(),
  last4: z.string(),
  scopes: z.array(z.enum(scopes)),
  /** The user who created it; null when the operator did, or the account was deleted. */
  created_by: z.string().nullable(),
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
  /** The key that replaced it. */
  replaced_by: z.string().nullable(),
})
export const CreatedApiKey = ApiKey.extend({ key: z.string() })

export type Application = z.output<typeof Application>
export type CreatedApplication = z.output<typeof CreatedApplication>
export type ClientSecret = z.output<typeof ClientSecret>
export type ApiKey = z.output<typeof ApiKey>
export type CreatedApiKey = z.output<typeof CreatedApiKey>
