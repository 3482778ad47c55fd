import type { RequestHandler } from 'express'
import { Problem } from '../../domain/core/problem.ts'
import { pageAt } from './table.ts'

/** Answers OPTIONS with the methods that a page allows (204), and refuses other methods (405), as REST does. */
export const allow: RequestHandler = ({ method, path }, response, next) => {
  const { methods, isOpenToWebsites = false } = pageAt(path) ?? {}
  if (isOpenToWebsites) response.set('Access-Control-Allow-Origin', '*')
  if (!methods || (methods.includes(method) && method !== 'OPTIONS')) return next()
  const allowed = methods.join(', ')
  if (method !== 'OPTIONS') throw new Problem('method_not_allowed', `This path takes ${allowed}.`, { allow: methods })
  if (isOpenToWebsites) response.set({ 'Access-Control-Allow-Methods': allowed, 'Access-Control-Allow-Headers': '*' })
  return void response.set('Allow', allowed).status(204).end()
}
