import * as z from 'zod'
import { examples } from '../../shared/examples.ts'
import { scopes } from '../core/scopes.ts'
import { Timestamp } from '../core/timestamp.ts'

/** A webhook that hears a user's channel. Of its URL people see the host alone: the rest may be a secret of the developer's. */
const HearingWebhook = z.object({
  id: z.string(),
  host: z.string(),
  event_types: z.array(z.string()),
  created_at: Timestamp,
})

/** An application with access to a user's account. Each device that was allowed has a grant of its own. */
export const AllowedApplication = z.object({
  application_id: z.string(),
  name: z.string(),
  website_url: z.string().nullable(),
  /** All that any of its grants allows. */
  scopes: z.array(z.enum(scopes)),
  grants: z.number(),
  first_allowed_at: Timestamp,
  last_allowed_at: Timestamp,
  /** Those that get events of the user's channel now; at most 100 are shown. */
  webhooks: z.array(HearingWebhook),
})

export type AllowedApplication = z.output<typeof AllowedApplication>

/** What a device gets to ask with, and to show (RFC 8628, section 3.2). */
export const DeviceAuthorization = z
  .object({
    device_code: z.string().meta({ example: 'lsdc_0000000000000000000000000000000000000000000AAAAAA' }),
    user_code: z.string().meta({ example: 'WDJB-MJHT', description: 'For people to enter, in any case.' }),
    verification_uri: z.string().meta({ example: 'https://api.example.com/device' }),
    verification_uri_complete: z.string().meta({ example: 'https://api.example.com/device?user_code=WDJB-MJHT' }),
    expires_in: z.number().meta({ example: 600, description: 'Seconds.' }),
    interval: z.number().meta({ example: 5, description: 'Seconds to wait between two questions.' }),
  })
  .meta({ id: 'DeviceAuthorization' })
export type DeviceAuthorization = z.output<typeof DeviceAuthorization>

/** OpenID Connect Core, section 5.1: what the scopes of a token tell of its user. */
export const UserInfo = z
  .object({
    sub: z.string().meta({ example: examples.userId, description: 'Of the user; it never changes.' }),
    preferred_username: z.string().optional().meta({ example: examples.username, description: 'With `profile`.' }),
    profile: z.string().optional().meta({ description: 'With `profile`: the address of the channel.' }),
    picture: z.string().optional().meta({ description: 'With `profile`, where there is one.' }),
    updated_at: z.number().optional().meta({ example: 1767323045, description: 'With `profile`: seconds since 1970.' }),
    email: z.string().optional().meta({ example: 'streamer@example.com', description: 'With `email`.' }),
    email_verified: z
      .boolean()
      .optional()
      .meta({ description: 'With `email`: whether the user has shown to read it.' }),
  })
  .meta({ id: 'UserInfo' })
export type UserInfo = z.output<typeof UserInfo>

/** RFC 7662, section 2.2. Of a token that is not active nothing else is said. */
export const Introspection = z
  .object({
    active: z.boolean(),
    client_id: z.string().optional(),
    scope: z.string().optional().meta({ example: 'channel:read chat:read' }),
    token_type: z.string().optional().meta({ example: 'Bearer' }),
    iss: z.string().optional(),
    sub: z.string().optional().meta({ example: examples.userId, description: 'The user; absent for an application.' }),
    username: z.string().optional().meta({ example: examples.username }),
    aud: z.string().optional().meta({ description: 'The resource that the token is for.' }),
    exp: z.number().optional().meta({ example: 1767326645, description: 'Seconds since 1970.' }),
    iat: z.number().optional().meta({ example: 1767323045, description: 'Seconds since 1970; of an access token.' }),
    cnf: z
      .object({ jkt: z.string() })
      .optional()
      .meta({ description: 'The key that the token is bound to (RFC 9449).' }),
  })
  .meta({ id: 'Introspection' })
export type Introspection = z.output<typeof Introspection>

/** The public keys by which ID tokens are verified (RFC 7517). */
export const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).meta({ id: 'KeySet' })
