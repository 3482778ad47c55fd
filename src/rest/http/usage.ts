import type { Context } from '../../domain/core/context.ts'
import { CLIENT_GONE, NO_OPERATION, type RequestObserver } from './request-record.ts'

/** Counts what applications ask of REST. /trpc counts by itself, each call of a batch. */
export function countUsage(contextOf: () => Context | undefined): RequestObserver {
  return ({ credential, page, operation = '' }, status, durationMs) => {
    if (!credential?.clientId || page) return
    const isError = status >= 400 && status !== CLIENT_GONE // a client that left was not refused anything
    contextOf()?.usage.count(credential.clientId, operation, isError ? status : 200, durationMs)
  }
}

/** Notes them in the logs of the applications, those as well that a credential which has ended or a wrong secret failed. */
export function noteRequest(contextOf: () => Context | undefined): RequestObserver {
  return (record, status, durationMs) => {
    if (record.page) return
    contextOf()?.requests.note(record, record.operation ?? NO_OPERATION, status, durationMs)
  }
}
