const reserved = new Set([
  ...['admin', 'administrator', 'admins', 'root', 'superuser', 'sysadmin', 'system', 'operator', 'operators', 'owner'],
  ...['staff', 'team', 'official', 'support', 'help', 'helpdesk', 'security', 'abuse', 'billing', 'legal', 'webmaster'],
  ...['postmaster', 'hostmaster', 'noreply', 'moderator', 'moderators', 'mod', 'mods', 'bot', 'service', 'server'],
  ...[
    'api',
    'developerapi',
    'developers',
    'developer',
    'console',
    'anonymous',
    'everyone',
    'nobody',
    'null',
    'undefined',
  ],
])

/** Whether people would take a username for the operator's, also with more underscores or a number behind it. */
export function isReserved(username: string): boolean {
  return reserved.has(username.toLowerCase().replaceAll('_', '').replace(/\d+$/, ''))
}
