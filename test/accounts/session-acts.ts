import { applicationMembers } from '../../src/db/schema/index.ts'
import { findSession, type Session } from '../../src/domain/access/sessions.ts'
import { changeEmail, resendVerification } from '../../src/domain/accounts/addresses.ts'
import { closeOwnAccount } from '../../src/domain/accounts/closing/close.ts'
import { changePassword } from '../../src/domain/accounts/new-password.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication, updateApplication } from '../../src/domain/applications/applications.ts'
import { rotateSecret } from '../../src/domain/applications/client-secrets.ts'
import { invitePerson, offerTransfer } from '../../src/domain/applications/people/invite.ts'
import { acceptTransfer } from '../../src/domain/applications/people/transfer.ts'
import { rollKey } from '../../src/domain/applications/roll-api-key.ts'
import { apiScopes } from '../../src/domain/core/scopes.ts'
import { confirmTotp, startTotp } from '../../src/domain/factors/authenticator.ts'
import { rollStreamKey } from '../../src/domain/ingest/stream-keys.ts'
import { issueCode } from '../../src/domain/oauth/authorization-endpoint.ts'
import { answerDevice, findDevice } from '../../src/domain/oauth/device/answer.ts'
import { authorizeDevice } from '../../src/domain/oauth/device/device-authorization.ts'
import { issuePlaygroundToken } from '../../src/domain/oauth/playground-token.ts'
import { createOverlay, rollOverlay } from '../../src/domain/overlays.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { rotateSigningSecret } from '../../src/domain/webhooks/subscriptions/rotate.ts'
import { updateSubscription } from '../../src/domain/webhooks/subscriptions/update.ts'
import { authenticatorOf } from '../factors/people.ts'
import { CALLBACK, credentials, pkce } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'
import type { RobbedApp } from './robbed.ts'

const hook = { url: 'https://93.184.216.34/hook', event_types: ['chat.message.sent'] }
const overlay = { name: 'X', event_types: hook.event_types }

/** An account with an application, of which a thief has a session. */
export async function robbedStage(app: RobbedApp) {
  const { user, thief } = await app.robbed()
  const { id } = await createApplication(thief, { name: 'Robbed', confidential: true, scopes: [...apiScopes] })
  const developing = { ...thief, role: 'developer' } as const
  return { app, user, thief, developing, id, about: { application_id: id } }
}
type Stage = Awaited<ReturnType<typeof robbedStage>>

type Act = {
  /** While the session lives. */
  prepare?: (stage: Stage) => Promise<string>
  act: (stage: Stage, prepared: string) => Promise<unknown>
}

/** What outlasts the session by which it is done, by what there is then. */
export const sessionActs: Record<string, Act> = {
  'another address': { act: ({ thief }) => changeEmail(thief, { email: 'thief@example.org', password: PASSWORD }) },
  'the link to another address once more': {
    prepare: async ({ thief }) => (await changeEmail(thief, { email: 'again@example.org', password: PASSWORD })).id,
    act: ({ thief }) => resendVerification(thief),
  },
  'another password': {
    act: ({ thief }) => changePassword(thief, { current_password: PASSWORD, new_password: 'a password of the thief' }),
  },
  'a second factor': {
    prepare: async ({ thief }) => (await startTotp(thief)).uri,
    act: ({ app, thief }, uri) => confirmTotp(thief, { code: authenticatorOf(uri, () => app.clock.at).at() }),
  },
  'the end of the account': { act: ({ thief, user }) => closeOwnAccount(thief, user) },
  'an overlay key': { act: ({ thief }) => createOverlay(thief, overlay) },
  'another overlay key': {
    prepare: async ({ thief }) => (await createOverlay(thief, overlay)).id,
    act: ({ thief }, id) => rollOverlay(thief, { id }),
  },
  'a stream key': { act: ({ thief }) => rollStreamKey(thief) },
  'an application': { act: ({ thief }) => createApplication(thief, { name: 'X', confidential: true }) },
  'an API key': { act: ({ developing, about }) => createKey(developing, { ...about, name: 'X' }) },
  'another API key': {
    prepare: async ({ developing, about }) => (await createKey(developing, { ...about, name: 'X' })).id,
    act: ({ developing }, id) => rollKey(developing, { id }),
  },
  'a client secret': { act: ({ developing, id }) => rotateSecret(developing, { id }) },
  'a redirect address': {
    act: ({ developing, id }) => updateApplication(developing, { id, redirect_uris: [CALLBACK] }),
  },
  'a token': {
    act: ({ developing, about }) => issuePlaygroundToken(developing, { ...about, stands_for: 'application' }),
  },
  'an invitation': {
    act: ({ thief, about }) => invitePerson(thief, { ...about, email: 'friend@example.org', role: 'developer' }),
  },
  'an offer': { act: ({ thief, about }) => offerTransfer(thief, { ...about, email: 'friend@example.org' }) },
  'an application of somebody else’s': {
    prepare: isOffered,
    act: ({ thief }, application_id) => acceptTransfer(thief, { application_id }),
  },
  'a webhook': { act: ({ developing, about }) => createSubscriptionForApplication(developing, { ...about, ...hook }) },
  'another place for a webhook': {
    prepare: hasWebhook,
    act: ({ developing }, id) => updateSubscription(developing, { id, url: `${hook.url}/thief` }),
  },
  'a signing secret': { prepare: hasWebhook, act: ({ developing }, id) => rotateSigningSecret(developing, { id }) },
  'a code for a client': { act: codeForClient },
  'a device': { prepare: waitingDevice, act: allowDevice },
}

async function hasWebhook({ developing, about }: Stage): Promise<string> {
  return (await createSubscriptionForApplication(developing, { ...about, ...hook })).id
}

async function isOffered({ app, user }: Stage): Promise<string> {
  const { thief: owner } = await app.robbed()
  const { id } = await createApplication(owner, { name: 'Offered', confidential: true })
  const joinedAt = app.clock.at
  await app.context.db.insert(applicationMembers).values({ clientId: id, userId: user.id, role: 'viewer', joinedAt })
  await offerTransfer(owner, { application_id: id, user_id: user.id })
  return id
}

/** As it was when the call was admitted. */
const admitted = ({ user, thief }: Stage): Session => {
  const { session } = thief.principal
  return { ...session, userId: user.id, username: user.username, authenticatedAt: thief.now() } as Session
}

function codeForClient(stage: Stage) {
  const { app, user, thief } = stage
  const asked = { clientId: app.client.id, userId: user.id, redirectUri: CALLBACK, scopes: [...apiScopes] }
  return issueCode(thief, { ...asked, challenge: pkce().challenge, session: admitted(stage) })
}

async function waitingDevice({ app, thief }: Stage): Promise<string> {
  const { user_code } = await authorizeDevice(app.visitor(), { scope: 'user:read', ...credentials(app.native) })
  const session = await findSession(app.context, thief.caller.session)
  if (!session) throw new Error('The session has ended')
  return (await findDevice(app.visitor(), session, user_code)).code
}

function allowDevice(stage: Stage, code: string) {
  return answerDevice(stage.thief, admitted(stage), code, true)
}
