import { tags } from '../../routers/operation.ts'

export const description = `The public developer platform of a live-streaming site.

**Authentication.** Send \`Authorization: Bearer <ACCESS_TOKEN>\` or an application's API key. Tokens come from
\`POST /oauth/token\`; each operation names the scope that it needs.

**Answers.** Success is \`{"data": …}\`; every error is \`{"error": {"code", "message"}}\`. Act on the code, show the
message to a developer. Each answer carries an \`X-Request-Id\`: tell it to us when something is wrong.

**Lists** take \`limit\` (1 to 100) and \`cursor\`; the next page stands in the \`Link\` header.

**Bodies** are JSON, \`application/x-www-form-urlencoded\` or \`multipart/form-data\`, at most 64 KiB. A POST under \`/v1\`
with an \`Idempotency-Key\` can be sent again for 24 hours without doing its work twice.

**Limits.** 800 requests a minute and credential, told by the \`RateLimit-*\` headers; then 429 with \`Retry-After\`.

**Events** are described at \`/events/schemas.json\` and signed as Standard Webhooks says.

**Versions.** Within \`/v1\` only additions; what breaks comes as \`/v2\` beside it for at least twelve months.`

const texts: Record<(typeof tags)[number], string> = {
  OAuth: 'Obtain and revoke access tokens.',
  Users: 'The user whom a token stands for.',
  Channels: 'The public face of users.',
  Categories: 'What streams are about.',
  Livestreams: 'Who is live at this moment.',
  Chat: 'Read, send and delete messages. Every channel has one room, named like it.',
  Moderation: 'Bans in your own channel.',
  Events: 'Webhook subscriptions.',
  Health: 'Whether the service runs.',
  Internal: 'For the clock that drives webhook deliveries.',
}

export const describedTags = tags.map((name) => ({ name, description: texts[name] }))
