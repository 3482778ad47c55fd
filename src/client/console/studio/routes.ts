import type { RouteObject } from 'react-router'

export const studioRoutes: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import('./live-stream.tsx')).LiveStream }) },
  { path: 'encoder', lazy: async () => ({ Component: (await import('./encoder/encoder.tsx')).Encoder }) },
  { path: 'chat', lazy: async () => ({ Component: (await import('./chat.tsx')).Chat }) },
  { path: 'overlay', lazy: async () => ({ Component: (await import('./overlay/overlays.tsx')).Overlays }) },
  { path: 'bans', lazy: async () => ({ Component: (await import('./bans.tsx')).Bans }) },
]
