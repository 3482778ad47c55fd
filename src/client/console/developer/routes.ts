import type { RouteObject } from 'react-router'

const applications: RouteObject[] = [
  {
    path: 'applications',
    lazy: async () => ({ Component: (await import('./applications/applications.tsx')).Applications }),
  },
  {
    path: 'applications/new',
    lazy: async () => ({ Component: (await import('./applications/new-application.tsx')).NewApplication }),
  },
  {
    path: 'applications/:id',
    lazy: async () => ({ Component: (await import('./applications/application.tsx')).ApplicationPage }),
    children: [
      { index: true, lazy: async () => ({ Component: (await import('./applications/credentials.tsx')).Credentials }) },
      { path: 'keys', lazy: async () => ({ Component: (await import('./applications/keys.tsx')).Keys }) },
      {
        path: 'webhooks',
        lazy: async () => ({
          Component: (await import('./applications/application-webhooks.tsx')).ApplicationWebhooks,
        }),
      },
      { path: 'usage', lazy: async () => ({ Component: (await import('./usage/usage.tsx')).Usage }) },
      {
        path: 'requests',
        lazy: async () => ({ Component: (await import('./requests/request-log.tsx')).RequestLog }),
      },
      { path: 'people', lazy: async () => ({ Component: (await import('./people/people.tsx')).People }) },
      { path: 'log', lazy: async () => ({ Component: (await import('./applications/log.tsx')).Log }) },
      { path: 'settings', lazy: async () => ({ Component: (await import('./applications/settings.tsx')).Settings }) },
    ],
  },
]

const webhooks: RouteObject[] = [
  { path: 'webhooks', lazy: async () => ({ Component: (await import('./webhooks/webhooks.tsx')).Webhooks }) },
  { path: 'webhooks/new', lazy: async () => ({ Component: (await import('./webhooks/new-webhook.tsx')).NewWebhook }) },
  {
    path: 'webhooks/:id/edit',
    lazy: async () => ({ Component: (await import('./webhooks/edit-webhook.tsx')).EditWebhook }),
  },
  { path: 'webhooks/:id', lazy: async () => ({ Component: (await import('./webhooks/webhook.tsx')).WebhookPage }) },
  { path: 'deliveries', lazy: async () => ({ Component: (await import('./deliveries/ledger.tsx')).Ledger }) },
  {
    path: 'deliveries/:id',
    lazy: async () => ({ Component: (await import('./deliveries/delivery.tsx')).DeliveryPage }),
  },
]

const help: RouteObject[] = [
  { path: 'events', lazy: async () => ({ Component: (await import('./events/event-types.tsx')).EventTypes }) },
  { path: 'events/:type', lazy: async () => ({ Component: (await import('./events/event-type.tsx')).EventTypePage }) },
  {
    path: 'requests/:requestId',
    lazy: async () => ({ Component: (await import('./requests/explanation.tsx')).Explanation }),
  },
  { path: 'doctor', lazy: async () => ({ Component: (await import('./doctor/doctor.tsx')).Doctor }) },
  {
    path: 'playground',
    lazy: async () => ({ Component: (await import('./playground/playground.tsx')).Playground }),
  },
  {
    path: 'quick-start',
    lazy: async () => ({ Component: (await import('./quick-start/quick-start.tsx')).QuickStart }),
  },
]

export const developerRoutes: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import('./overview.tsx')).Overview }) },
  ...applications,
  ...webhooks,
  ...help,
]
