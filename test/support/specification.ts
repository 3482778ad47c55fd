import type { Scope } from '../../src/domain/core/scopes.ts'

export type Row = {
  route: string
  success: 200 | 201 | 204
  /** The statuses that the specification declares beside it. */
  failures: readonly number[]
  /** The statuses that it can really answer as well: its input, its body, its limit. */
  also: readonly number[]
  /** Scopes of which one is needed; none: public. */
  scopes: readonly Scope[]
  by?: 'user'
}

/** docs/specification.md, sections 4 and 5, row by row. */
export const specification: readonly Row[] = [
  { route: 'GET /health/', success: 200, failures: [], also: [], scopes: [] },
  { route: 'GET /health/ready', success: 200, failures: [], also: [503], scopes: [] },
  { route: 'GET /', success: 200, failures: [], also: [503], scopes: [] },
  { route: 'POST /oauth/token', success: 200, failures: [400, 401], also: [413, 415, 429, 503], scopes: [] },
  { route: 'POST /oauth/revoke', success: 200, failures: [401], also: [400, 413, 415, 429, 503], scopes: [] },
  {
    route: 'GET /v1/users/me',
    success: 200,
    failures: [401, 403, 404],
    also: [304, 429, 503],
    scopes: ['user:read'],
    by: 'user',
  },
  {
    route: 'GET /v1/channels/',
    success: 200,
    failures: [401, 403],
    also: [304, 400, 429, 503],
    scopes: ['channel:read'],
  },
  {
    route: 'GET /v1/channels/{slug}',
    success: 200,
    failures: [401, 403, 404],
    also: [304, 429, 503],
    scopes: ['channel:read'],
  },
  {
    route: 'GET /v1/categories/',
    success: 200,
    failures: [401, 403],
    also: [304, 400, 429, 503],
    scopes: ['category:read'],
  },
  {
    route: 'GET /v1/categories/{id}',
    success: 200,
    failures: [401, 403, 404],
    also: [304, 429, 503],
    scopes: ['category:read'],
  },
  {
    route: 'GET /v1/livestreams/',
    success: 200,
    failures: [401, 403],
    also: [304, 400, 429, 503],
    scopes: ['livestream:read'],
  },
  {
    route: 'GET /v1/livestreams/{id}',
    success: 200,
    failures: [401, 403, 404],
    also: [304, 429, 503],
    scopes: ['livestream:read'],
  },
  {
    route: 'GET /v1/chat/messages',
    success: 200,
    failures: [401, 403],
    also: [304, 400, 429, 503],
    scopes: ['chat:read'],
  },
  {
    route: 'POST /v1/chat/messages',
    success: 201,
    failures: [401, 403],
    also: [400, 413, 415, 429, 503],
    scopes: ['chat:write'],
    by: 'user',
  },
  {
    route: 'DELETE /v1/chat/{messageId}',
    success: 204,
    failures: [401, 403, 404],
    also: [429, 503],
    scopes: ['chat:write'],
    by: 'user',
  },
  {
    route: 'GET /v1/moderation/bans',
    success: 200,
    failures: [401, 403],
    also: [304, 400, 429, 503],
    scopes: ['moderation:read', 'moderation:write'],
    by: 'user',
  },
  {
    route: 'POST /v1/moderation/bans',
    success: 201,
    failures: [400, 401, 403, 404, 409],
    also: [413, 415, 429, 503],
    scopes: ['moderation:write'],
    by: 'user',
  },
  {
    route: 'GET /v1/events/subscriptions',
    success: 200,
    failures: [401, 403],
    also: [304, 400, 429, 503],
    scopes: ['webhook:write'],
  },
  {
    route: 'POST /v1/events/subscriptions',
    success: 201,
    failures: [400, 401, 403],
    also: [413, 415, 429, 503],
    scopes: ['webhook:write'],
  },
  {
    route: 'DELETE /v1/events/subscriptions/{id}',
    success: 204,
    failures: [401, 403, 404],
    also: [429, 503],
    scopes: ['webhook:write'],
  },
  { route: 'GET /cron/webhook-deliveries', success: 200, failures: [], also: [401, 503], scopes: [] },
  { route: 'POST /cron/webhook-deliveries', success: 200, failures: [], also: [401, 503], scopes: [] },
]
