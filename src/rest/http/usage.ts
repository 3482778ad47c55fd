import type { Context } from '../../domain/core/context.ts'
import { CLIENT_GONE, type RequestObserver } from './request-record.ts'

/** Counts what applications ask of REST. /trpc counts by itself, each call of a batch. */
export function countUsage(contextOf: () => Context | undefined): RequestObserver {
  return ({ credential, page, operation = '' }, status, durationMs) => {
    if (!credential?.clientId || page) return
    const isError = status >= 400 && status !== CLIENT_GONE // a client that left was not refused anything
    contextOf()?.usage.count(credential.clientId, operation, isError ? status : 200, durationMs)
  }
}
