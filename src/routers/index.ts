import { accountRouter } from './account.ts'
import { categoriesRouter } from './categories.ts'
import { channelsRouter } from './channels.ts'
import { chatRouter } from './chat.ts'
import { deliveriesRouter } from './deliveries.ts'
import { applicationsRouter } from './developers/applications.ts'
import { peopleRouter } from './developers/people.ts'
import { requestsRouter } from './developers/requests.ts'
import { searchRouter } from './developers/search.ts'
import { usageRouter } from './developers/usage.ts'
import { doctorRouter } from './doctor.ts'
import { eventsRouter } from './events.ts'
import { healthRouter } from './health.ts'
import { internalRouter } from './internal.ts'
import { livestreamsRouter } from './livestreams.ts'
import { moderationRouter } from './moderation.ts'
import { oauthRouter } from './oauth.ts'
import { overlaysRouter } from './overlays.ts'
import { streamKeysRouter } from './stream-keys.ts'
import { router } from './trpc.ts'
import { usersRouter } from './users.ts'
import { webhooksRouter } from './webhooks.ts'

const shared = {
  oauth: oauthRouter,
  users: usersRouter,
  channels: channelsRouter,
  categories: categoriesRouter,
  livestreams: livestreamsRouter,
  chat: chatRouter,
  moderation: moderationRouter,
  events: eventsRouter,
  overlays: overlaysRouter,
  streamKeys: streamKeysRouter,
  health: healthRouter,
  account: accountRouter,
  applications: applicationsRouter,
  people: peopleRouter,
  webhooks: webhooksRouter,
  deliveries: deliveriesRouter,
  doctor: doctorRouter,
  usage: usageRouter,
  requests: requestsRouter,
  search: searchRouter,
}

/** What /trpc serves. */
export const appRouter = router(shared)

/** What REST is read from: the cron job's operations exist there alone. */
export const restRouter = router({ ...shared, internal: internalRouter })

export type AppRouter = typeof appRouter
