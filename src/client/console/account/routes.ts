import type { RouteObject } from 'react-router'

export const accountRoutes: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import('./profile.tsx')).Profile }) },
  { path: 'connections', lazy: async () => ({ Component: (await import('./connections.tsx')).Connections }) },
  { path: 'sessions', lazy: async () => ({ Component: (await import('./sessions.tsx')).Sessions }) },
  { path: 'sign-in', lazy: async () => ({ Component: (await import('./sign-in.tsx')).SignIn }) },
  { path: 'security', lazy: async () => ({ Component: (await import('./security.tsx')).Security }) },
  {
    path: 'notifications',
    lazy: async () => ({ Component: (await import('./notifications.tsx')).Notifications }),
  },
  { path: 'delete', lazy: async () => ({ Component: (await import('./delete-account.tsx')).DeleteAccount }) },
  { path: 'log', lazy: async () => ({ Component: (await import('./log.tsx')).AccountLog }) },
]
