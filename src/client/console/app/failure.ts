import { isFailedCall, problemOf } from '../../index.ts'

/** A failed call as REST would report it, with the request's identifier for support, and where the guide explains the code. */
export type Failure = { code: string; message: string; requestId: string | undefined; guide: string | undefined }

/** The status that the service answered with; undefined when there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return isFailedCall(error) ? error.data?.httpStatus : undefined
}

export function failureOf(error: unknown): Failure {
  const problem = problemOf(error)
  if (problem) return { ...problem, requestId: requestIdOf(error), guide: `/docs/guides/errors#${problem.code}` }
  const isUnanswered = isFailedCall(error) && error.data === undefined
  const own = isUnanswered
    ? { code: 'unreachable', message: 'The service did not answer. Check your connection.' }
    : { code: 'console_error', message: 'Something went wrong on this page. Load it again.' }
  return { ...own, requestId: undefined, guide: undefined }
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
