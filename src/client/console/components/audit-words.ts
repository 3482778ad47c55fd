import type { Outputs } from '../app/session.tsx'

export type AuditRecord = Outputs['account']['audit']['items'][number]

/** Actions in words; one that is newer than this page is shown by its name. */
const words: Record<string, string> = {
  'user.created': 'Account created',
  'user.email_changed': 'Email address changed',
  'user.email_verified': 'Email address confirmed',
  'user.email_lost': 'Email address confirmed by another account',
  'user.password_changed': 'Password changed',
  'user.disabled': 'Account closed',
  'user.enabled': 'Account opened again',
  'user.closed': 'Account deleted by its owner',
  'user.reopened': 'Account that was deleted opened again',
  'user.erased': 'Data of the account erased',
  'session.started': 'Logged in',
  'session.ended': 'Session ended',
  'factor.added': 'Second factor added',
  'factor.removed': 'Second factor removed',
  'factor.reset': 'Second factors taken away by the operator',
  'recovery_codes.created': 'Recovery codes made',
  'recovery_codes.used': 'Recovery code used',
  'application.created': 'Application created',
  'application.updated': 'Application changed',
  'application.deleted': 'Application deleted',
  'application.disabled': 'Application stopped',
  'application.enabled': 'Application let in again',
  'application.transfer_offered': 'Application offered to a new owner',
  'application.transferred': 'Application taken over by a new owner',
  'application.handed_on': 'Application handed on without its credentials, as its owner closed their account',
  'application.given': 'Application given to another account by the operator, without its credentials',
  'member.invited': 'Somebody invited',
  'member.joined': 'Invitation accepted',
  'member.role_changed': 'Role of a member changed',
  'member.removed': 'Member taken out',
  'member.left': 'Member left',
  'invitation.revoked': 'Invitation taken back',
  'invitation.declined': 'Invitation declined',
  'secret.created': 'Client secret created',
  'secret.revoked': 'Client secret revoked',
  'key.created': 'API key created',
  'key.rolled': 'API key rolled',
  'key.revoked': 'API key revoked',
  'overlay_key.created': 'Overlay key created',
  'overlay_key.rolled': 'Overlay key rolled',
  'overlay_key.revoked': 'Overlay key revoked',
  'stream_key.created': 'Stream key made',
  'stream_key.rolled': 'Stream key rolled',
  'stream_key.revoked': 'Stream key revoked',
  'signing_secret.created': 'Webhook made, with its signing secret',
  'signing_secret.rotated': 'Signing secret of a webhook rotated',
  'signing_secret.revoked': 'Webhook deleted, with its signing secret',
  'subscription.updated': 'Webhook changed',
  'subscription.disabled': 'Webhook disabled',
  'subscription.enabled': 'Webhook enabled',
  'grant.allowed': 'Access allowed',
  'grant.revoked': 'Access revoked',
  'token.issued': 'Token made for the playground',
}

export const describeAction = (action: string): string => words[action] ?? action

/** Who did it, in words for the reader with this identifier; by name where it has one. */
export function describeActor({ actor_type, actor_id, actor_name }: AuditRecord, readerId: string): string {
  if (actor_type === 'operator') return 'the operator of this service'
  if (actor_type === 'system') return 'the service itself'
  if (actor_type === 'client') return actor_name ?? 'an application that is gone'
  if (actor_type === 'api_key') return 'an API key'
  return actor_id === readerId ? 'you' : (actor_name ?? 'an account that is gone')
}

type Target = { to: string; words: string }

/** The page of the console about what a record tells of; undefined where there is none, or it is not the reader's. */
export function pageOfTarget(record: AuditRecord, readerId: string, own: ReadonlySet<string>): Target | undefined {
  const { action, user_id, target_id, application_id, target_name } = record
  const [noun = ''] = action.split('.')
  const ours = ownPages[noun]
  if (ours && user_id === readerId) return { to: ours.to, words: target_name ?? ours.words }
  if (application_id === null || !own.has(application_id)) return undefined
  const application = `/developer/applications/${application_id}`
  if (noun === 'key') return { to: `${application}/keys`, words: target_name ?? 'API keys' }
  if (noun === 'secret') return { to: application, words: 'credentials' }
  const isSubscription = target_id?.startsWith('sub_') && target_name !== null
  return isSubscription ? { to: `/developer/webhooks/${target_id}`, words: target_name } : undefined
}

/** Of the reader's own account, by what a record is about. */
const ownPages: Record<string, Target | undefined> = {
  overlay_key: { to: '/studio/overlay', words: 'overlay keys' },
  session: { to: '/account/sessions', words: 'sessions' },
  grant: { to: '/account/connections', words: 'connected applications' },
}
