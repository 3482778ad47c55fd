import type { Role } from '../../src/shared/roles.ts'
import type { SharedApplication } from './shared-application.ts'

/**
 * A procedure about an application: what one has to be for it, what it is called with, and what of the application is in its answer where it
 * answers everybody. `mayFail`: past the question of who asks it may be refused for what the application is.
 */
export type RoleCase = {
  role: Role
  input: (of: SharedApplication) => object
  shows?: (of: SharedApplication) => string
  mayFail?: boolean
}

const byId = ({ id }: SharedApplication) => ({ id })
const byApplication = ({ id }: SharedApplication) => ({ application_id: id })
const bySubscription = ({ subscriptionId }: SharedApplication) => ({ id: subscriptionId })
const byKey = ({ keyId }: SharedApplication) => ({ id: keyId })
const identifier = ({ id }: SharedApplication) => id

/** Every procedure about an application, or about several, that a login session may call. */
export const casesOfRoles: Record<string, RoleCase> = {
  'applications.list': { role: 'viewer', input: () => ({}), shows: identifier },
  'applications.get': { role: 'viewer', input: byId },
  'applications.update': { role: 'developer', input: ({ id }) => ({ id, name: 'Another name' }) },
  'applications.delete': { role: 'owner', input: byId },
  'applications.attention': { role: 'viewer', input: () => ({}), shows: identifier },
  'applications.audit': { role: 'viewer', input: byApplication },
  'applications.rotateSecret': { role: 'developer', input: byId },
  'applications.issueToken': {
    role: 'developer',
    input: ({ id }) => ({ application_id: id, stands_for: 'application' }),
  },
  'applications.secrets.list': { role: 'developer', input: byId },
  'applications.secrets.revoke': { role: 'developer', input: ({ id, secretId }) => ({ id, secret_id: secretId }) },
  'applications.keys.list': { role: 'developer', input: byApplication },
  'applications.keys.create': { role: 'developer', input: ({ id }) => ({ application_id: id, name: 'Another' }) },
  'applications.keys.roll': { role: 'developer', input: byKey },
  'applications.keys.revoke': { role: 'developer', input: byKey },
  'people.list': { role: 'viewer', input: byApplication },
  'people.invite': {
    role: 'owner',
    input: ({ id }) => ({ application_id: id, email: 'new@example.com', role: 'viewer' }),
  },
  'people.offerTransfer': {
    role: 'owner',
    input: ({ id }) => ({ application_id: id, email: 'new@example.com' }),
  },
  'people.revokeInvitation': {
    role: 'owner',
    input: ({ id, invitationId }) => ({ application_id: id, id: invitationId }),
  },
  'people.changeRole': {
    role: 'owner',
    input: ({ id, viewerId }) => ({ application_id: id, user_id: viewerId, role: 'developer' }),
  },
  'people.remove': { role: 'owner', input: ({ id, viewerId }) => ({ application_id: id, user_id: viewerId }) },
  'people.leave': { role: 'viewer', input: byApplication, mayFail: true },
  'requests.list': { role: 'viewer', input: byApplication },
  'requests.summary': { role: 'viewer', input: byApplication },
  'requests.explain': { role: 'viewer', input: ({ requestId }) => ({ request_id: requestId }) },
  'search.find': { role: 'viewer', input: ({ name }) => ({ text: name }), shows: identifier },
  'usage.get': { role: 'viewer', input: byApplication },
  'doctor.credential': { role: 'developer', input: ({ key }) => ({ credential: key }), shows: identifier },
  'webhooks.list': { role: 'viewer', input: byApplication, shows: ({ subscriptionId }) => subscriptionId },
  'webhooks.get': { role: 'viewer', input: bySubscription },
  'webhooks.rotateSecret': { role: 'developer', input: bySubscription },
  'webhooks.enable': { role: 'developer', input: bySubscription },
  'webhooks.disable': { role: 'developer', input: bySubscription },
  'webhooks.test': { role: 'developer', input: bySubscription },
  'webhooks.create': { role: 'developer', input: ({ wanted }) => wanted },
  'webhooks.update': {
    role: 'developer',
    input: ({ subscriptionId }) => ({ id: subscriptionId, description: 'Other' }),
  },
  'webhooks.delete': { role: 'developer', input: bySubscription },
  'deliveries.list': { role: 'viewer', input: byApplication, shows: ({ deliveryId }) => deliveryId },
  'deliveries.get': { role: 'viewer', input: ({ deliveryId }) => ({ id: deliveryId }) },
  'deliveries.redeliver': { role: 'developer', input: ({ deliveryId }) => ({ id: deliveryId }), mayFail: true },
  'deliveries.replay': {
    role: 'developer',
    input: ({ subscriptionId }) => ({ subscription: subscriptionId, only: 'failed' }),
  },
  'deliveries.watch': { role: 'viewer', input: ({ subscriptionId }) => ({ subscription: subscriptionId }) },
}

/** Every other one: about the person who calls, about the platform, or by the token of an invitation. A router ends in a dot. */
const concernsNoApplication = [
  'account.',
  'overlays.',
  'streamKeys.',
  'applications.create',
  'people.invitation',
  'people.accept',
  'people.decline',
  'people.acceptTransfer',
  'deliveries.follow',
  'deliveries.status',
  'doctor.signature',
  'webhooks.eventTypes',
]
export const isAboutNoApplication = (name: string): boolean =>
  concernsNoApplication.some((one) => (one.endsWith('.') ? name.startsWith(one) : name === one))
