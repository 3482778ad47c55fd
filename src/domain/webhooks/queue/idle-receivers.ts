import { paceOf } from '../../events/receiver-pace.ts'
import { FAILURES_TO_OPEN } from './circuit-breaker.ts'

/**
 * SQL for whether a subscription, whose row `s` stands for and which has `n` attempts in flight, would take a delivery at once: what
 * waits for it then waits for us. What a receiver is slow to take, or has refused, is its own delay.
 */
export const isIdle = (s: string, n: string) =>
  `coalesce(${n}, 0) = 0 and ${s}.consecutive_failures < ${FAILURES_TO_OPEN} and ${s}.send_window > 1 and ${paceOf(`${s}.attempt_ms`)} <> 2`

/**
 * SQL for whether an account has room for more: less than half of what it may have in flight (`n` of `cap`), and none of receivers
 * that have never answered if this is one (`pace`). What waits beyond waits for the account's other receivers.
 */
export const hasRoom = ({ n, unproven, cap, pace }: Record<'n' | 'unproven' | 'cap' | 'pace', string>) =>
  `(2 * coalesce(${n}, 0) < ${cap} and (${pace} <> 1 or coalesce(${unproven}, 0) = 0))`

/**
 * SQL for until when it took nothing, or will take nothing: it rested, or had as much in flight as it takes at once; null when it always
 * took more. What happened before has waited for that.
 */
export const restEnd = (s: string) => `greatest(${s}.open_until, ${s}.rested_at)`
