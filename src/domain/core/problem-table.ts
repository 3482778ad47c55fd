/** What went wrong, and what its caller can do about it, in a sentence each: Markdown, as the guide to errors shows it. */
type ProblemFacts = { status: number; cause: string; remedy: string }

/**
 * Every failure that a caller can see: its public code and the status it answers with. The one table of the service, in the
 * order of the statuses; docs/guides/errors.md is rendered from it.
 */
export const problems = {
  invalid_request: {
    status: 400,
    cause: 'The request does not have the shape that the operation takes; the message names the field.',
    remedy: 'Change what the message names. The reference shows the fields of every operation.',
  },
  invalid_grant: {
    status: 400,
    cause:
      'At the token endpoint: the code or the refresh token is unknown, expired, used already, or another application’s.',
    remedy: 'Send the user through the authorization again.',
  },
  authorization_pending: {
    status: 400,
    cause: 'Nobody has answered yet whether the device may have access.',
    remedy: 'Ask again after the `interval` of the device authorization.',
  },
  slow_down: {
    status: 400,
    cause: 'The device asked again before its interval was over, which is five seconds longer from now on.',
    remedy: 'Wait five seconds more between two questions than before.',
  },
  access_denied: {
    status: 400,
    cause: 'The person has denied the access.',
    remedy: 'Stop asking; begin again when they want to.',
  },
  expired_token: {
    status: 400,
    cause: 'The device code is older than its ten minutes.',
    remedy: 'Begin again with a new one.',
  },
  invalid_target: {
    status: 400,
    cause: '`resource` names none of our addresses, or another one than what was allowed.',
    remedy: 'Name the address of this service, one of its resources, or none.',
  },
  invalid_scope: {
    status: 400,
    cause: 'A scope is unknown, or more than the application is registered for.',
    remedy: 'Ask for scopes of the registration, or add the scope to it first.',
  },
  invalid_dpop_proof: {
    status: 400,
    cause: 'The application binds its tokens to a key, and the request has no fresh proof of that key.',
    remedy: 'Sign a new proof for this very request and send it as `DPoP`.',
  },
  unauthorized_client: {
    status: 400,
    cause: 'The application is not registered for this grant.',
    remedy:
      'Use a grant of its registration, or add this one in the console: in the settings of the application, under Grants.',
  },
  unsupported_grant_type: {
    status: 400,
    cause: 'The token endpoint does not know this `grant_type`.',
    remedy: 'Use one that `/.well-known/oauth-authorization-server` lists.',
  },
  invalid_cursor: {
    status: 400,
    cause: 'The cursor is made up, changed, or of another list.',
    remedy: 'Take it from the `Link` header of the page before, or begin without one.',
  },
  message_too_long: {
    status: 400,
    cause: 'The message has more than 500 characters.',
    remedy: 'Shorten it, or send several.',
  },
  invalid_url: {
    status: 400,
    cause: 'The URL of the webhook is none that is called: not public, not https, or malformed.',
    remedy: 'Give a public https URL; the message says what is wrong with this one.',
  },
  unknown_event_type: {
    status: 400,
    cause: 'There is no event type of this name.',
    remedy: 'Use one of those that the message lists.',
  },
  cannot_ban_self: {
    status: 400,
    cause: 'The user to be banned owns the channel.',
    remedy: 'Name another user.',
  },
  limit_reached: {
    status: 400,
    cause: 'There are as many of these as one owner may have.',
    remedy: 'Delete what is not needed any more.',
  },
  idempotency_mismatch: {
    status: 400,
    cause: 'The `Idempotency-Key` was used for another request.',
    remedy: 'Make a new key for every request that is to be done once.',
  },
  unauthorized: {
    status: 401,
    cause: 'The request has no credential, or a login failed.',
    remedy: 'Send `Authorization: Bearer` with an access token or an API key.',
  },
  invalid_token: {
    status: 401,
    cause: 'The credential is malformed, expired or revoked.',
    remedy: 'Refresh the token, or ask for a new one. An API key is not refreshed: make another.',
  },
  invalid_client: {
    status: 401,
    cause: 'At the token endpoint: the application is unknown, or its secret or its signature is wrong.',
    remedy: 'Check `client_id` and the secret, and send them in one way only.',
  },
  insufficient_scope: {
    status: 403,
    cause: 'The credential lacks the scope that the operation needs; the message names it.',
    remedy: 'Get a token or a key with that scope.',
  },
  user_token_required: {
    status: 403,
    cause: 'The operation acts for a user, and the credential stands for an application.',
    remedy: 'Use a token from the authorization code grant.',
  },
  forbidden: {
    status: 403,
    cause: 'The credential is good, but whoever it stands for may not do this.',
    remedy: 'The message says who may; another try does not help.',
  },
  step_up_required: {
    status: 403,
    cause: 'The login session may do this only when its user has proved who they are within the last ten minutes.',
    remedy: 'Ask for the password or the second factor by `account.stepUp`, and repeat the call.',
  },
  second_factor_required: {
    status: 403,
    cause: 'The operator wants a second factor for this, and the login session has shown none.',
    remedy: 'Set one up in the console, under Account → Security, and repeat the call.',
  },
  sender_banned: {
    status: 403,
    cause: 'The user is banned from this room.',
    remedy: 'Only the owner of the room can end that.',
  },
  unknown_room: {
    status: 403,
    cause: 'No channel has this name, or it has been closed.',
    remedy: 'Check `room_name`: it is the username of the channel’s owner.',
  },
  not_found: {
    status: 404,
    cause: 'There is nothing at this path, or nothing of yours with this identifier.',
    remedy: 'Check the path and the identifier.',
  },
  channel_not_found: {
    status: 404,
    cause: 'No channel has this slug.',
    remedy: 'Take the slug from the list of channels.',
  },
  category_not_found: {
    status: 404,
    cause: 'No category has this identifier or slug.',
    remedy: 'Take it from the list of categories.',
  },
  livestream_not_found: {
    status: 404,
    cause: 'No live stream has this identifier, or you are not live.',
    remedy: 'Take it from the list of live streams, or start one.',
  },
  message_not_found: {
    status: 404,
    cause: 'No message has this identifier, or it was deleted.',
    remedy: 'Treat it as deleted.',
  },
  user_not_found: {
    status: 404,
    cause: 'No user has this identifier, or the account is gone.',
    remedy: 'Check the identifier; with a token of that user, forget the token.',
  },
  subscription_not_found: {
    status: 404,
    cause: 'None of your subscriptions has this identifier.',
    remedy: 'Take it from the list of subscriptions: one of an application is not one of its users.',
  },
  method_not_allowed: {
    status: 405,
    cause: 'The path exists and does not take this method.',
    remedy: 'Use one of the methods in the header `Allow`.',
  },
  already_banned: {
    status: 409,
    cause: 'The user is banned already.',
    remedy: 'There is nothing left to do.',
  },
  already_live: {
    status: 409,
    cause: 'The channel has a live stream already.',
    remedy: 'End that one first, or change it.',
  },
  cursor_expired: {
    status: 410,
    cause: 'Events behind the cursor are older than the 30 days for which events are kept.',
    remedy: 'Begin again: with `since` at the time that the message names, or from now on.',
  },
  payload_too_large: {
    status: 413,
    cause: 'The body has more bytes than the operation takes; the message says how many.',
    remedy: 'Send less.',
  },
  unsupported_media_type: {
    status: 415,
    cause: 'The body is in none of the three encodings.',
    remedy: 'Send JSON, `application/x-www-form-urlencoded` or `multipart/form-data`, and say which in `Content-Type`.',
  },
  rate_limited: {
    status: 429,
    cause: 'There were too many requests or attempts in a short time: see [limits](limits.md).',
    remedy: 'Wait as many seconds as `Retry-After` says.',
  },
  internal_error: {
    status: 500,
    cause: 'Something went wrong on our side.',
    remedy: 'Try again; if it stays, tell us the `X-Request-Id`.',
  },
  unavailable: {
    status: 503,
    cause: 'The service is starting, stopping or busy, or its database is away.',
    remedy: 'Wait as many seconds as `Retry-After` says, and try again.',
  },
} as const satisfies Record<string, ProblemFacts>
