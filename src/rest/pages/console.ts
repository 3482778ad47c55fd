import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Request, type Response, Router } from 'express'
import type { Context } from '../../domain/core/context.ts'
import { Problem } from '../../domain/core/problem.ts'
import { projectFolder } from '../../project-folder.ts'
import { type BuiltFile, readBuiltFiles } from './built-files.ts'

/** Where Vite builds the console to. */
const BUILT = join(projectFolder, 'dist/console')
const PAGE = 'index.html'
const FOREVER = 'public, max-age=31536000, immutable'
const BRIEFLY = 'public, max-age=3600'
/** In order of preference. */
const encodings = ['br', 'gzip'] as const

/**
 * Nothing from elsewhere but the pictures of profiles. Scripts and style sheets are our files, or carry the nonce of this
 * very answer: the page's first lines, and the sheets of the component library.
 */
const policyOf = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: https:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The console: a page for every address below it, and the files that the page names. 503 while it is not built. */
export function consolePages({ signup }: Context, folder = BUILT): Router {
  let files: ReadonlyMap<string, BuiltFile> | undefined
  const built = () => {
    files ??= readBuiltFiles(folder)
    return files
  }

  const router = Router()
  router.get('/', (request, response, next) => {
    const { pathname, search } = new URL(request.originalUrl, 'http://here')
    return pathname.endsWith('/') ? next() : response.redirect(308, `${pathname}/${search}`)
  })
  router.use((request, response, next) => {
    const name = request.path.slice(1)
    const file = name === PAGE ? undefined : built().get(name)
    if (file) return sendFile(request, response, file)
    return request.path.startsWith('/assets/') ? next() : sendPage(response, built().get(PAGE), signup)
  })
  return router
}

/** Every answer has a nonce of its own, so no answer may be kept. */
function sendPage(response: Response, page: BuiltFile | undefined, signup: Context['signup']) {
  if (!page) throw new Problem('unavailable', 'The console is not built: run "npm run build".')
  const nonce = randomBytes(16).toString('base64')
  const text = page.plain.toString().replaceAll('__CSP_NONCE__', nonce).replace('__SIGNUP__', signup)
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

function sendFile(request: Request, response: Response, { name, type, plain, ...packed }: BuiltFile) {
  const encoding = encodings.find((one) => one === request.acceptsEncodings([...encodings]))
  const body = encoding && packed[encoding]
  response.set({
    'Cache-Control': name.startsWith('assets/') ? FOREVER : BRIEFLY,
    'Content-Type': type,
    Vary: 'Accept-Encoding',
    ...(body && { 'Content-Encoding': encoding }),
  })
  response.send(body ?? plain)
}
