import type { RequestHandler } from 'express'
import { Problem } from '../../domain/core/problem.ts'

const READ = ['GET', 'HEAD', 'OPTIONS']
const FORM = ['GET', 'HEAD', 'POST', 'OPTIONS']

/** Pages that are read alone, with all below them; forms, which also take what was filled in. The rest answers for itself. */
const readAlone = ['/openapi.json', '/events/schemas.json', '/llms.txt', '/docs', '/console']
const forms = ['/login', '/logout', '/signup', '/oauth/authorize']

/** What one may do with a page, for those who ask (204) and those who try something else (405), as REST has it. */
export const allowedAlone: RequestHandler = ({ method, path }, response, next) => {
  const allow = allowedAt(path)
  if (!allow || (allow.includes(method) && method !== 'OPTIONS')) return next()
  if (method !== 'OPTIONS') throw new Problem('method_not_allowed', `This path takes ${allow.join(', ')}.`, { allow })
  return void response.set('Allow', allow.join(', ')).status(204).end()
}

function allowedAt(path: string): readonly string[] | undefined {
  const page = path.replace(/\/$/, '')
  if (forms.includes(page)) return FORM
  return readAlone.some((one) => page === one || path.startsWith(`${one}/`)) ? READ : undefined
}
