import type { Context } from '../core/context.ts'
import { apiScopes } from '../core/scopes.ts'
import { issueDirectly } from '../oauth/issue.ts'
import { prepareConfidential, prepareKey, preparePublic } from './applications.ts'
import { prepareContent } from './content.ts'
import type { DemoCredentials, DemoName } from './credentials.ts'
import { actingAs, type DemoPerson, preparePerson } from './people.ts'

/**
 * Creates or restores the demonstration, with the same verbs that callers use, and returns working credentials: those of
 * `kept` that still work, otherwise new ones. Safe to run at every start. The tokens are new each time.
 */
export async function prepareDemo(ctx: Context, kept: DemoCredentials | undefined): Promise<DemoCredentials> {
  const streamer = await preparePerson(ctx, 'streamer', kept?.users.streamer.password)
  const viewer = await preparePerson(ctx, 'viewer', kept?.users.viewer.password)
  const outsider = await preparePerson(ctx, 'outsider', kept?.users.outsider.password)
  await prepareContent(ctx, { streamer, viewer, outsider })

  const developer = actingAs(ctx, streamer)
  const client = await prepareConfidential(developer, clients.client, kept?.client.client_secret)
  const other = await prepareConfidential(developer, clients.other_client, kept?.other_client.client_secret)
  return {
    base_url: ctx.publicUrl,
    client,
    other_client: other,
    public_client: await preparePublic(developer, clients.public_client),
    api_key: await prepareKey(developer, client.client_id, kept?.api_key),
    users: {
      streamer: await withTokens(ctx, client.client_id, streamer),
      viewer: await withTokens(ctx, client.client_id, viewer),
      outsider: await withTokens(ctx, client.client_id, outsider),
    },
  }
}

const clients = {
  client: { name: 'Demo application', redirect_uri: 'http://127.0.0.1:4000/callback' },
  other_client: { name: 'Other demo application', redirect_uri: 'http://127.0.0.1:4001/callback' },
  public_client: { name: 'Demo desktop application', redirect_uri: 'http://127.0.0.1/callback' },
}

async function withTokens(
  ctx: Context,
  clientId: string,
  person: DemoPerson,
): Promise<DemoCredentials['users'][DemoName]> {
  const { access_token, refresh_token } = await issueDirectly(ctx, { clientId, userId: person.id, scopes: apiScopes })
  if (refresh_token === undefined) throw new Error('The demonstration has a refresh token')
  return { ...person, access_token, refresh_token }
}
