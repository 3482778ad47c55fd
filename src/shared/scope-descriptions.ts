/** What tokens can do with the API, in words for the consent page and the console. The keys are what tokens carry. */
export const apiScopeDescriptions = {
  'user:read': 'Read your profile and your email address',
  'channel:read': 'Read channels',
  'channel:write': 'Change the profile of your channel',
  'category:read': 'Read categories',
  'livestream:read': 'Read live streams',
  'livestream:write': 'Start, change and end your live stream',
  'chat:read': 'Read chat messages',
  'chat:write': 'Send and delete chat messages in your name',
  'moderation:read': 'See whom you have banned',
  'moderation:write': 'Ban and unban people in your channel',
  'webhook:write': 'Receive events of your channel by webhook',
} as const

/** What a site may learn of who logs in there (OpenID Connect Core, section 5.4). */
const identityScopeDescriptions = {
  openid: 'Know which account is yours',
  profile: 'See your username and your picture',
  email: 'See your email address',
} as const

/** Every scope that an application can be registered for. */
export const scopeDescriptions = { ...apiScopeDescriptions, ...identityScopeDescriptions } as const

type ScopeName = keyof typeof scopeDescriptions

/** The same, for whoever makes an application: it may do so to many people, or for itself. */
export const scopeReach = {
  'user:read': 'Read the profile and the email address of people who log in',
  'channel:read': 'Read every channel',
  'channel:write': 'Change the channel profile of people who log in',
  'category:read': 'Read categories',
  'livestream:read': 'Read every live stream',
  'livestream:write': 'Start, change and end live streams of people who log in',
  'chat:read': 'Read the chat of every channel',
  'chat:write': 'Send and delete chat messages in the name of people who log in',
  'moderation:read': 'See whom people who log in have banned',
  'moderation:write': 'Ban and unban in channels of people who log in',
  'webhook:write': 'Receive events by webhook: of every channel for itself, else of people who log in',
  openid: 'Know which account is whose, of people who log in',
  profile: 'See the username and the picture of people who log in',
  email: 'See the email address of people who log in',
} as const satisfies Record<ScopeName, string>

/** What an application can use for itself, by an API key or client credentials. All else takes a person who logs in. */
export const applicationScopes: ReadonlySet<ScopeName> = new Set<ScopeName>([
  'channel:read',
  'category:read',
  'livestream:read',
  'chat:read',
  'webhook:write',
])
