import { isFailedCall, problemOf } from '../../index.ts'
import { OfflineError } from './connection.ts'

/** A failed call as REST would report it, with the request's identifier for support, and where the guide explains the code. */
export type Failure = { code: string; message: string; requestId: string | undefined; guide: string | undefined }

/** The status that the service answered with; undefined when there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return isFailedCall(error) ? error.data?.httpStatus : undefined
}

const UNAUTHORIZED = 401

export function failureOf(error: unknown): Failure {
  const problem = problemOf(error)
  if (problem === undefined) return { ...unanswered(error), requestId: undefined, guide: undefined }
  const requestId = requestIdOf(error)
  if (statusOf(error) === UNAUTHORIZED) return { ...sessionEnded, requestId, guide: undefined }
  return { ...problem, requestId, guide: `/docs/guides/errors#${problem.code}` }
}

/** What the service says of it is for programs, which send credentials. */
const sessionEnded = {
  code: 'session_ended',
  message: 'Your session has ended. Log in again: this page stays as it is.',
}

function unanswered(error: unknown): { code: string; message: string } {
  if (!isFailedCall(error)) return ofBrowser[nameOf(error)] ?? PAGE_BROKE
  if (error.cause instanceof OfflineError) {
    return { code: 'offline', message: 'You are offline: nothing was sent, and nothing will be sent later.' }
  }
  return { code: 'unreachable', message: 'The service did not answer. Check your connection.' }
}

const PAGE_BROKE = { code: 'console_error', message: 'Something went wrong on this page. Load it again.' }
const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')

/** How browsers refuse a passkey (Web Authentication, 5.1.3 and 5.1.4). */
const ofBrowser: Record<string, { code: string; message: string } | undefined> = {
  NotAllowedError: { code: 'not_confirmed', message: 'It was not confirmed, or not in time: nothing was done.' },
  InvalidStateError: { code: 'already_there', message: 'This device has a passkey of your account already.' },
}

/** The same of a change: when it got no answer, nobody knows whether it was made. */
export function changeFailureOf(error: unknown): Failure {
  const failure = failureOf(error)
  if (failure.code !== 'unreachable') return failure
  return {
    ...failure,
    message: 'The service did not answer. Whether this was done is not known: look before you try again.',
  }
}

/** What a message says about this field, as a sentence to show beside the input; undefined when it is about another one. */
export function messageFor(field: string, error: unknown): string | undefined {
  const { message } = failureOf(error)
  const [, name, text] = /^([a-z_.\d]+):? (.*)$/s.exec(message) ?? []
  const isAbout = name === field || name?.startsWith(`${field}.`)
  return isAbout && text !== undefined ? sentenceOf(text) : undefined
}

function sentenceOf(text: string): string {
  if (/^(is|must) /.test(text)) return `It ${text}`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function requestIdOf(error: unknown): string | undefined {
  const response = isFailedCall(error) ? error.meta?.response : undefined
  return response instanceof Response ? (response.headers.get('x-request-id') ?? undefined) : undefined
}
