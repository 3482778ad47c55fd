const asksForModeration = (s: string) => `(' ' || array_to_string(${s}.event_types, ' ')) like '% moderation.%'`

/**
 * SQL for whether a grant `g` is alive and allows a subscription, whose row `s` stands for: it is of the same user and
 * application, for webhooks, and for moderation where the subscription asks for that.
 */
export const covers = (s: string) => `g.client_id = ${s}.client_id and g.user_id = ${s}.user_id
  and g.revoked_at is null and g.expires_at > statement_timestamp() and g.scopes @> '{webhook:write}'::text[]
  and (not ${asksForModeration(s)} or g.scopes && '{moderation:read,moderation:write}'::text[])`

/**
 * The one SQL condition for what depends on consent: whether the user of a subscription still allows it. One without a user,
 * which hears what is public, depends on nobody. A scalar subquery, because an `exists` beside an `or` may be planned as a
 * scan of all grants.
 */
export const isAllowed = (s: string) => `case when ${s}.user_id is null then true
  else (select true from grants g where ${covers(s)} limit 1) is not null end`

/**
 * SQL for the one subscription with this identifier. The `limit` keeps conditions such as `isHearing` out of the look-up: with them a
 * join that was planned while there were next to none may use the index of those that are not deleted in place of the key, and read
 * thousands for each once there are many.
 */
export const subscriptionOf = (id: string) => `lateral (select * from webhook_subscriptions where id = ${id} limit 1)`

/** The SQL condition for subscriptions that get events now; asked when one is emitted, claimed, and about to be sent. */
export const isHearing = (s: string) => `${s}.status = 'enabled' and ${s}.deleted_at is null and ${isAllowed(s)}`
