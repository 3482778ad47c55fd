import * as z from 'zod'
import { examples } from '../../shared/examples.ts'
import { Timestamp } from './timestamp.ts'

const id = (example: string) => z.string().meta({ example })
const nullable = (example: string) => z.string().nullable().meta({ example })

const userId = () => id(examples.userId)
const username = () => z.string().meta({ example: examples.username })

const Person = z.object({ id: userId(), username: username() })

/** docs/specification.md, section 2.2. */
export const CurrentUser = z
  .object({
    id: userId(),
    username: username(),
    email: z.string().meta({ example: 'streamer@example.com' }),
    bio: nullable('I build things on stream.'),
    image_url: nullable('https://img.example.com/streamer.png'),
  })
  .meta({ id: 'CurrentUser' })

/** docs/specification.md, section 2.3. */
export const Channel = z
  .object({
    id: userId(),
    username: username(),
    bio: nullable('I build things on stream.'),
    image_url: nullable('https://img.example.com/streamer.png'),
    is_live: z.boolean().meta({ example: true }),
  })
  .meta({ id: 'Channel' })

/** docs/specification.md, section 2.4. */
export const Category = z
  .object({
    id: id(examples.categoryId),
    slug: z.string().meta({ example: examples.category }),
    label: z.string().meta({ example: 'Software' }),
    description: nullable('Programming, live.'),
    image_url: nullable('https://img.example.com/software.png'),
    featured: z.boolean().meta({ example: true }),
    sort_order: z.number().meta({ example: 10 }),
  })
  .meta({ id: 'Category' })

/** docs/specification.md, section 2.5. `category` is the slug of one. */
export const Livestream = z
  .object({
    id: id(examples.livestreamId),
    title: nullable('A compiler in one evening'),
    category: nullable(examples.category),
    thumbnail_url: nullable('https://img.example.com/thumbnail.png'),
    channel: Person.nullable(),
    updated_at: Timestamp,
  })
  .meta({ id: 'Livestream' })

const message = {
  id: id(examples.messageId),
  content: z.string().meta({ example: 'Hello!' }),
  type: z.string().meta({ example: 'text', description: '`text`; `system` and `announcement` are reserved.' }),
  created_at: Timestamp,
}
const sender = { user_identity: userId(), user_name: username() }
const room = { room_name: z.string().meta({ example: examples.username }) }

/** docs/specification.md, section 2.6, as the list returns it. */
export const ListedMessage = z.object({ ...message, ...sender }).meta({ id: 'ListedMessage' })

/** docs/specification.md, section 2.6, as sending returns it. */
export const SentMessage = z.object({ ...message, ...room }).meta({ id: 'SentMessage' })

/** A chat message in events: both forms joined. */
export const EventMessage = z.object({ ...message, ...room, ...sender }).meta({ id: 'EventMessage' })

/** docs/specification.md, section 2.7. */
export const Ban = z
  .object({ id: id('ban_01kdyrfq3e7y2n8v4c5b6m9t0a'), created_at: Timestamp, blocked_user: Person.nullable() })
  .meta({ id: 'Ban' })

const subscription = {
  id: id(examples.subscriptionId),
  url: z.string().meta({ format: 'uri', example: 'https://receiver.example/webhooks' }),
  event_types: z.array(z.string()).meta({ example: ['chat.message.sent'] }),
  description: nullable('Production'),
  status: z.string().meta({ example: 'enabled', description: '`enabled` or `disabled`.' }),
  created_at: Timestamp,
}

/** docs/specification.md, section 2.8, as the list returns it. */
export const Subscription = z.object(subscription).meta({ id: 'Subscription' })

/** docs/specification.md, section 2.8, as creating returns it: the only time that the secret is shown. */
export const CreatedSubscription = z
  .object({
    ...subscription,
    signing_secret: z.string().meta({ example: 'whsec_dGhpcyBpcyBub3QgYSByZWFsIHNlY3JldA==' }),
  })
  .meta({ id: 'CreatedSubscription' })

/** docs/specification.md, section 4.6. */
export const WorkReport = z
  .object({
    ok: z.literal(true),
    processed: z.number().meta({ example: 3 }),
    delivered: z.number().meta({ example: 1 }),
    failed: z.number().meta({ example: 1 }),
    retried: z.number().meta({ example: 1 }),
  })
  .meta({ id: 'WorkReport' })

/** The specification has one type. `DPoP` is for clients that registered for it (see `tokenResponse`). */
const asBearer = ({ jsonSchema }: { jsonSchema: { enum?: unknown; const?: unknown } }) => {
  delete jsonSchema.enum
  jsonSchema.const = 'Bearer'
}

/** docs/specification.md, section 2.1. */
export const TokenResponse = z
  .object({
    access_token: z.string().meta({ example: 'lsat_0000000000000000000000000000000000000000000AAAAAA' }),
    token_type: z.enum(['Bearer', 'DPoP']).meta({ override: asBearer }),
    expires_in: z.number().meta({ example: 3600, description: 'Seconds.' }),
    scope: z.string().meta({ example: 'channel:read chat:read' }),
    refresh_token: z.string().optional().meta({ example: 'lsrt_0000000000000000000000000000000000000000000AAAAAA' }),
    id_token: z
      .string()
      .optional()
      .meta({ description: 'With the scope `openid`: who has logged in.', 'x-extension': true }),
  })
  .meta({ id: 'TokenResponse' })
export type CurrentUser = z.output<typeof CurrentUser>
export type Channel = z.output<typeof Channel>
export type Category = z.output<typeof Category>
export type Livestream = z.output<typeof Livestream>
export type ListedMessage = z.output<typeof ListedMessage>
export type SentMessage = z.output<typeof SentMessage>
export type EventMessage = z.output<typeof EventMessage>
export type Ban = z.output<typeof Ban>
export type Subscription = z.output<typeof Subscription>
export type CreatedSubscription = z.output<typeof CreatedSubscription>
export type TokenResponse = z.output<typeof TokenResponse>
