import { SLOW_MS } from '../../../shared/delivery.ts'

/**
 * SQL for the moving average after attempts of which the slowest took `latest`. One slow attempt suffices to be slow, and
 * it takes several fast ones to be fast again: a receiver that alternates is no fast one.
 */
export const nextAttemptMs = (before: string, latest: string) =>
  `greatest(case when ${latest} > ${SLOW_MS} then ${latest} end, (3 * coalesce(${before}, ${latest}) + ${latest}) / 4)`

/** SQL for whether the average must be written: one that was fast and stays fast is not, so it costs healthy receivers nothing. */
export const changesPace = (before: string, latest: string) =>
  `(${latest} is not null and (${before} is null or ${before} > ${SLOW_MS} or ${latest} > ${SLOW_MS}))`
