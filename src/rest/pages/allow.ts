import type { Request, RequestHandler, Response } from 'express'
import { Problem } from '../../domain/core/problem.ts'
import { headersOfPath, isPreflight, openToBrowsers, preflightHeaders } from '../http/headers.ts'
import { isOpenPage, pageAt, pageRootOf } from './table.ts'

/** Answers OPTIONS with the methods that a page allows (204), and refuses other methods (405), as REST does. */
export const allow: RequestHandler = (request, response, next) => {
  const { method, path } = request
  const { methods } = pageAt(path) ?? {}
  if (isOpenPage(pageRootOf(path) ?? '')) response.set(openToBrowsers)
  if (method === 'OPTIONS') return answerOptions(request, response, methods) ? undefined : next()
  if (!methods || methods.includes(method)) return next()
  throw new Problem('method_not_allowed', `This path takes ${methods.join(', ')}.`, { allow: methods })
}

/** A preflight is answered also where nothing is, or the browser would keep our 404 from its script. */
function answerOptions(
  { path, headers }: Request,
  response: Response,
  methods: readonly string[] | undefined,
): boolean {
  const isAsked = isPreflight(path, headers['access-control-request-method'])
  if (!methods && !isAsked) return false
  const allowed = methods && { Allow: methods.join(', ') }
  response
    .status(204)
    .set({ ...headersOfPath(path), ...(isAsked && preflightHeaders), ...allowed })
    .end()
  return true
}
