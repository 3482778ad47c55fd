export { DeveloperApi, type DeveloperApiOptions, type Once } from './client.ts'
export {
  ApiError,
  ConflictError,
  ConnectionError,
  CursorExpiredError,
  ForbiddenError,
  InvalidRequestError,
  LoginRequiredError,
  NotFoundError,
  RateLimitedError,
  ServerError,
  SignatureError,
  UnauthorizedError,
} from './errors.ts'
export type { EventOf, EventType, FeedEvent, WebhookEvent } from './events.ts'
export type { Feed, FeedPage, FollowOptions } from './feed.ts'
export type {
  Ban,
  Category,
  Channel,
  CreateBanRequest,
  CreatedSubscription,
  CreateSubscriptionRequest,
  CurrentUser,
  ListedMessage,
  Livestream,
  SendChatMessageRequest,
  SentMessage,
  Subscription,
} from './generated/types.gen.ts'
export { type DeviceCode, Login, type LoginOptions, type PendingLogin } from './login.ts'
export type { Page, Pages } from './pages.ts'
export type { Application, ApplicationTokens, Tokens, UserTokens } from './tokens.ts'
export type { TransportOptions } from './transport.ts'
export { type GivenHeaders, type UnwrapOptions, webhooks } from './webhooks.ts'
