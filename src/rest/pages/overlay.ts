import { join } from 'node:path'
import { Router } from 'express'
import { Problem } from '../../domain/core/problem.ts'
import { projectFolder } from '../../project-folder.ts'
import { onceBuilt, sendBuiltFile } from './built-files.ts'

/** Where Vite builds the overlay to. */
const BUILT = join(projectFolder, 'dist/overlay')

/**
 * Nothing from elsewhere, and no script but ours. Style sheets may stand in the page, because streaming programs put there the one
 * that a streamer has written; it can load nothing. The studio shows the page in a frame.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')

/**
 * The page that shows the chat of a channel over a stream. It is the same for everybody: the key in its address is read in the
 * browser alone. 503 while it is not built.
 */
export function overlayPages(folder = BUILT): Router {
  const built = onceBuilt(folder)
  const router = Router()
  router.get('/', (_request, response) => {
    const page = built().get('index.html')
    if (!page) throw new Problem('unavailable', 'The overlay is not built: run "npm run build".')
    response
      .set({
        'Cache-Control': 'no-store',
        'Content-Security-Policy': policy,
        'Referrer-Policy': 'no-referrer',
        'X-Frame-Options': 'SAMEORIGIN',
      })
      .type('html')
      .send(page.plain)
  })
  router.use('/assets', (request, response, next) => {
    const file = built().get(`assets${request.path}`)
    return file ? sendBuiltFile(request, response, file) : next()
  })
  return router
}
