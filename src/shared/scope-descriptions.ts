/** Every scope of the platform, in words for the consent page and the console. The keys are what tokens carry. */
export const scopeDescriptions = {
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
