import type { Caller } from '../domain/core/caller.ts'
import type { Context } from '../domain/core/context.ts'
import type { Problem } from '../domain/core/problem.ts'

/** A call that has ended, of a request that may hold several. */
export type EndedCall = {
  /** What it is counted as: `/trpc/…` or `/mcp/…`. */
  operation: string
  problem: Problem | undefined
  durationMs: number
  /** Looked at only where it may be shown. */
  input(): Promise<unknown>
}

/** What was refused was not for this caller, and its input may hold anything. */
const REFUSED = new Set([401, 403, 429])

/** Counts and notes a call for its application, as REST does for a request. */
export function noteCall({ caller, usage, requests }: Context & { caller: Caller }, call: EndedCall): void {
  const { operation, problem, durationMs, input } = call
  const { record } = caller
  const status = problem?.status ?? 200
  if (record?.credential?.clientId) usage.count(record.credential.clientId, operation, status, durationMs)
  if (!record?.clientId) return
  const note = (body?: unknown) => {
    const ended = { ...record, id: caller.requestId, address: caller.address, url: undefined, problem, body }
    requests.note(ended, operation, status, durationMs)
  }
  if (problem && !REFUSED.has(status)) input().then(note, () => note())
  else note()
}
