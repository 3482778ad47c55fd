import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import express, { Router } from 'express'
import { referenceScript } from './reference-script.ts'
import { referenceStyle } from './reference-style.ts'

const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Nothing from other hosts. The viewer sets inline styles; its scripts are files. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Developer API reference</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="stylesheet" href="/docs/reference.css">
<link rel="icon" href="data:,">
</head>
<body>
<noscript>The reference needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<main id="reference"></main>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`

/** The reference page: the OpenAPI document in Swagger UI, with "try it", served by ourselves alone. */
export function referencePages(): Router {
  const router = Router()
  router.use((_request, response, next) => {
    response.set({ 'Content-Security-Policy': policy, 'X-Frame-Options': 'DENY', 'Referrer-Policy': 'no-referrer' })
    next()
  })
  router.get('/', (_request, response) => void response.type('html').send(page))
  router.get('/reference.js', (_request, response) => void response.type('js').send(referenceScript))
  router.get('/reference.css', (_request, response) => void response.type('css').send(referenceStyle))
  router.use('/assets', onlyViewer, express.static(assets, { index: false, redirect: false, maxAge: '1h' }))
  return router
}

/** Serves only the two files of the package that the page names. */
const onlyViewer: express.RequestHandler = ({ path }, _response, next) =>
  next(/^\/swagger-ui(-bundle)?\.(css|js)$/.test(path) ? undefined : 'router')
