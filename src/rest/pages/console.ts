import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Response, Router } from 'express'
import type { Context } from '../../domain/core/context.ts'
import { Problem } from '../../domain/core/problem.ts'
import { projectFolder } from '../../project-folder.ts'
import { readCookie } from './auth/cookies.ts'
import { type BuiltFile, onceBuilt, sendBuiltFile } from './built-files.ts'

/** Where Vite builds the console to. */
const BUILT = join(projectFolder, 'dist/console')
const PAGE = 'index.html'

/**
 * Nothing from elsewhere but the pictures of profiles. Scripts and style sheets are our files, or carry the nonce of this
 * very answer: the page's first lines, and the sheets of the component library. In a frame it shows the overlay.
 */
const policyOf = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: https:",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The console: a page for every address below it, and the files that the page names. 503 while it is not built. */
export function consolePages({ signup, publicUrl }: Context, folder = BUILT): Router {
  const built = onceBuilt(folder)
  const router = Router()
  router.use((request, response, next) => {
    const name = request.path.slice(1)
    const file = name === PAGE ? undefined : built().get(name)
    if (file) return sendBuiltFile(request, response, file)
    if (request.path.startsWith('/assets/')) return next()
    const session = readCookie(request, 'sid', publicUrl) === undefined ? 'none' : 'sent'
    sendPage(response, built().get(PAGE), { signup, session })
  })
  return router
}

/** What the page is told: whether strangers may sign up, and whether a session was sent, without which nothing is asked for. */
type Told = { signup: Context['signup']; session: 'sent' | 'none' }

/** Every answer has a nonce of its own, so no answer may be kept. */
function sendPage(response: Response, page: BuiltFile | undefined, { signup, session }: Told) {
  if (!page) throw new Problem('unavailable', 'The console is not built: run "npm run build".')
  const nonce = randomBytes(16).toString('base64')
  const text = page.plain
    .toString()
    .replaceAll('__CSP_NONCE__', nonce)
    .replace('__SIGNUP__', signup)
    .replace('__SESSION__', session)
  response
    .set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policyOf(nonce),
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
    })
    .type('html')
    .send(text)
}
