import { tags } from '../../routers/operation.ts'

export const description = `The public developer platform of a live-streaming site.

**Authentication.** Send \`Authorization: Bearer <ACCESS_TOKEN>\` or an application's API key. Tokens come from
\`POST /oauth/token\`; each operation names the scope that it needs.

**Answers.** Success is \`{"data": …}\`; every error is \`{"error": {"code", "message"}}\`. Act on the code, show the
message to a developer. Each answer carries an \`X-Request-Id\`: tell it to us when something is wrong.

**Methods.** Every path takes \`OPTIONS\` too, and \`HEAD\` where it takes \`GET\`; any other method is 405 with \`Allow\`. While the
service is too busy or its database is away, requests are 503 with \`Retry-After\`.

**Lists** take \`limit\` (1 to 100) and \`cursor\`; the next page stands in the \`Link\` header.

**Bodies** are JSON, \`application/x-www-form-urlencoded\` or \`multipart/form-data\`, at most 64 KiB. A POST under \`/v1\`
with an \`Idempotency-Key\` can be sent again for 24 hours without doing its work twice.

**Limits.** 800 requests a minute and credential, told by the \`RateLimit\` headers; then 429 with \`Retry-After\`.

**Events** are described under Webhooks, at \`/events/schemas.json\` and at \`/asyncapi.json\`, and signed as Standard Webhooks says.
Who has no public address reads them from a feed, which is described at \`/openapi.extensions.json\`.

**Versions.** Within \`/v1\` only additions; what breaks comes as \`/v2\` beside it for at least twelve months.`

export const extensionsDescription = `What the service offers beyond its specification, which is described at \`/openapi.json\`: credentials, answers, errors
and limits are as there. The schemas \`CreateTokenRequest\` and \`TokenResponse\` are those of \`POST /oauth/token\` with all that it takes and gives
here. It may grow within \`/v1\` like everything else.

Events are described at \`/asyncapi.json\` as well, for who reads a stream.`

const texts: Record<(typeof tags)[number], string> = {
  OAuth: 'Obtain and revoke access tokens.',
  Users: 'The user whom a token stands for.',
  Channels: 'The public face of users.',
  Categories: 'What streams are about.',
  Livestreams: 'Who is live at this moment.',
  Chat: 'Read, send and delete messages. Every channel has one room, named like it.',
  Moderation: 'Bans in your own channel.',
  Events: 'What happens, and the webhook subscriptions to it.',
  Health: 'Whether the service runs.',
  Internal: 'For the clock that drives webhook deliveries.',
}

export const describedTags = tags.map((name) => ({ name, description: texts[name] }))
