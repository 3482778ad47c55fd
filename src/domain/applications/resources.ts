import * as z from 'zod'
import { scopes } from '../core/scopes.ts'
import { Timestamp } from '../core/timestamp.ts'
import { grantTypes } from './grant-types.ts'
import { ClientKeys } from './public-keys.ts'

/** An application of a third party; its `id` is the `client_id` of OAuth. */
export const Application = z.object({
  id: z.string(),
  name: z.string(),
  website_url: z.string().nullable(),
  /** Whether it runs where it can keep a secret. */
  confidential: z.boolean(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.enum(grantTypes)),
  scopes: z.array(z.enum(scopes)),
  /** The public keys of an application that signs instead of sending a secret. */
  jwks: ClientKeys.nullable(),
  /** Whether its tokens are bound to a key that it proves to hold (RFC 9449). */
  dpop_bound: z.boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  /** The hour of its last call; null when it has called nothing for as long as usage is kept. */
  last_called_at: Timestamp.nullable(),
  /** Since when the operator has stopped it: its credentials are refused and its webhooks rest. */
  disabled_at: Timestamp.nullable(),
})
/** `client_secret` is shown this once; null for an application that signs, and for a public one. */
export const CreatedApplication = Application.extend({ client_secret: z.string().nullable() })

/** Everything of a secret but itself: that is shown once. */
export const ClientSecret = z.object({
  id: z.string(),
  last4: z.string(),
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
})

/** Everything of a key but itself: that is shown once. */
export const ApiKey = z.object({
  id: z.string(),
  application_id: z.string(),
  name: z.string(),
  first8: z.string(),
  last4: z.string(),
  scopes: z.array(z.enum(scopes)),
  /** The user who made it; null when that was the operator, or the account is gone. */
  created_by: z.string().nullable(),
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
  /** The key that took its place. */
  replaced_by: z.string().nullable(),
})
export const CreatedApiKey = ApiKey.extend({ key: z.string() })

export type Application = z.output<typeof Application>
export type CreatedApplication = z.output<typeof CreatedApplication>
export type ClientSecret = z.output<typeof ClientSecret>
export type ApiKey = z.output<typeof ApiKey>
export type CreatedApiKey = z.output<typeof CreatedApiKey>
