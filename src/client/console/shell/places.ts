type Place = { label: string; to: string; end?: boolean }

/** The pages that are always there, as the navigation and the search show them. */
export const groups: readonly { title: string; places: readonly Place[] }[] = [
  {
    title: 'Developer',
    places: [
      { label: 'Overview', to: '/developer', end: true },
      { label: 'Applications', to: '/developer/applications' },
      { label: 'Webhooks', to: '/developer/webhooks' },
      { label: 'Deliveries', to: '/developer/deliveries' },
      { label: 'Events', to: '/developer/events' },
      { label: 'Doctor', to: '/developer/doctor' },
      { label: 'Playground', to: '/developer/playground' },
      { label: 'Quick start', to: '/developer/quick-start' },
    ],
  },
  {
    title: 'Studio',
    places: [
      { label: 'Live stream', to: '/studio', end: true },
      { label: 'Encoder', to: '/studio/encoder' },
      { label: 'Chat', to: '/studio/chat' },
      { label: 'Overlay', to: '/studio/overlay' },
      { label: 'Bans', to: '/studio/bans' },
    ],
  },
  {
    title: 'Account',
    places: [
      { label: 'Profile', to: '/account', end: true },
      { label: 'Connected applications', to: '/account/connections' },
      { label: 'Sessions', to: '/account/sessions' },
      { label: 'Sign-in', to: '/account/sign-in' },
      { label: 'Security', to: '/account/security' },
      { label: 'Notifications', to: '/account/notifications' },
      { label: 'Security log', to: '/account/log' },
      { label: 'Delete account', to: '/account/delete' },
    ],
  },
]
