import type { IncomingMessage, ServerResponse } from 'node:http'
import { routeAt } from '../openapi/routes.ts'
import { pageRouteOf } from '../pages/paths.ts'
import { isStream } from './load-limit.ts'
import { parseRequestTarget } from './request-target.ts'

/** Hears of each answer: which operation (one of a known few), status, seconds. */
export type RequestMeasure = (operation: string, status: number, seconds: number) => void

/** Measures a request until its response has ended. Streams stay open for hours and would say nothing of speed. */
export function measureRequest(measure: RequestMeasure, request: IncomingMessage, response: ServerResponse) {
  if (isStream(request)) return
  const begun = performance.now()
  const { method = '', url = '' } = request // Express takes parts off the address
  response.once('close', () => {
    measure(operationOf(method, url), statusOf(response), (performance.now() - begun) / 1000)
  })
}

/** The status of a response that has ended: 499 when the client left before the end. */
export const statusOf = (response: ServerResponse) => (response.writableFinished ? response.statusCode : 499)

const NOWHERE = '(none)'
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']

/** The route as the specification spells it; of a page the method and the first part of its path; never what was sent. */
export function operationOf(method: string, url: string): string {
  const page = pageRouteOf(url)
  if (page) return `${METHODS.includes(method) ? method : 'OTHER'} ${page}`
  try {
    return routeAt(method, parseRequestTarget(url).path)?.operation.route ?? NOWHERE
  } catch {
    return NOWHERE // no path at all
  }
}
