import { createBrowserRouter, Navigate, type RouteObject } from 'react-router'
import { accountRoutes } from '../account/routes.ts'
import { developerRoutes } from '../developer/routes.ts'
import { Gate } from '../shell/gate.tsx'
import { RouteFailure } from '../shell/route-failure.tsx'
import { Splash } from '../shell/splash.tsx'
import { studioRoutes } from '../studio/routes.ts'

const nowhere: RouteObject = {
  path: '*',
  lazy: async () => ({ Component: (await import('../shell/not-found.tsx')).NotFound }),
}

/** Each page is loaded when it is first opened. The gate comes before them, so a page can rely on somebody being signed in. */
export const router = createBrowserRouter(
  [
    { path: '/logged-in', lazy: async () => ({ Component: (await import('../shell/logged-in.tsx')).LoggedIn }) },
    {
      path: '/',
      Component: Gate,
      ErrorBoundary: RouteFailure,
      HydrateFallback: Splash,
      children: [
        { index: true, element: <Navigate to="/developer" replace /> },
        { path: 'developer', ErrorBoundary: RouteFailure, children: developerRoutes },
        {
          path: 'invitations',
          ErrorBoundary: RouteFailure,
          lazy: async () => ({
            Component: (await import('../developer/people/received-invitation.tsx')).ReceivedInvitation,
          }),
        },
        { path: 'studio', ErrorBoundary: RouteFailure, children: studioRoutes },
        { path: 'account', ErrorBoundary: RouteFailure, children: accountRoutes },
        nowhere,
      ],
    },
  ],
  { basename: '/console' },
)
