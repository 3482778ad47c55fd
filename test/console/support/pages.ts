import type { Product } from './browser.ts'

/** Something to look at on every page: an application with a key, receivers that answer and that fail, deliveries. */
export async function furnish({ base, demo }: Product, receivers: { good: string; bad: string }): Promise<Ids> {
  const call = async (path: string, body: Record<string, string>, credential: string) => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}` },
      body: new URLSearchParams(body),
    })
    return ((await response.json()) as { data: { id: string } }).data
  }
  const subscribe = (url: string) =>
    call('/v1/events/subscriptions', { url, event_types: 'chat.message.sent' }, demo.api_key)
  const [good, bad] = [await subscribe(receivers.good), await subscribe(receivers.bad)]
  await call('/v1/chat/messages', { room_name: 'streamer', content: 'Hello' }, demo.users.viewer.access_token)
  await call('/v1/moderation/bans', { user_id: demo.users.outsider.id }, demo.users.streamer.access_token)
  return { application: demo.client.client_id, good: good.id, bad: bad.id }
}

/** Every page of somebody who is signed in. Ids are filled in by `addressOf`. */
export const ownPages = [
  '/console/developer',
  '/console/developer/applications',
  '/console/developer/applications/new',
  '/console/developer/applications/:application',
  '/console/developer/applications/:application/keys',
  '/console/developer/applications/:application/webhooks',
  '/console/developer/applications/:application/usage',
  '/console/developer/applications/:application/usage?span=month',
  '/console/developer/applications/:application/requests',
  '/console/developer/applications/:application/people',
  '/console/developer/applications/:application/log',
  '/console/developer/applications/:application/settings',
  '/console/developer/webhooks',
  '/console/developer/webhooks/new',
  '/console/developer/webhooks/:good',
  '/console/developer/webhooks/:bad',
  '/console/developer/webhooks/:bad/edit',
  '/console/developer/deliveries',
  '/console/developer/deliveries?application=:application&status=5xx',
  '/console/developer/deliveries?subscription=:good',
  '/console/developer/deliveries?subscription=:bad',
  '/console/developer/events',
  '/console/developer/events/chat.message.sent',
  '/console/developer/doctor',
  '/console/developer/playground?operation=sendChatMessage',
  '/console/developer/requests/no-such-request',
  '/console/developer/quick-start',
  '/console/invitations',
  '/console/studio',
  '/console/studio/encoder',
  '/console/studio/chat',
  '/console/studio/overlay',
  '/console/studio/bans',
  '/console/account',
  '/console/account/connections',
  '/console/account/sessions',
  '/console/account/sign-in',
  '/console/account/notifications',
  '/console/account/delete',
  '/console/account/log',
  '/console/no/such/page',
]

export type Ids = { application: string; good: string; bad: string }

export const addressOf = (path: string, { application, good, bad }: Ids): string =>
  path.replace(':application', application).replace(':good', good).replace(':bad', bad)

/** The pages on which people decide what leaves them: their consent, and their session. */
export const decisionPages = (clientId: string, redirectUri: string) => {
  const asked = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'user:read chat:write' }
  const proof = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' }
  return [
    `/oauth/authorize?${new URLSearchParams({ ...asked, ...proof })}`,
    '/oauth/authorize?client_id=nobody',
    '/logout',
  ]
}

/** Every page of ours that needs nobody. */
export const publicPages = [
  '/console/',
  '/login',
  '/signup',
  '/docs/guides/',
  '/docs/guides/quick-start',
  '/docs/guides/authentication',
  '/docs/guides/dpop',
  '/docs/guides/webhooks',
  '/docs/guides/overlays',
  '/docs/guides/going-live',
  '/docs/guides/people',
  '/docs/guides/paging',
  '/docs/guides/errors',
  '/docs/guides/limits',
  '/docs/guides/versioning',
  '/docs/guides/search?q=signature',
  '/docs/guides/changelog',
  '/docs/guides/clients',
  '/docs/guides/feed',
]
