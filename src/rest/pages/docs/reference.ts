import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import express, { Router } from 'express'
import type { Context } from '../../../domain/core/context.ts'
import { Html, html } from '../html.ts'
import { referenceScript } from './reference-script.ts'
import { referenceStyle } from './reference-style.ts'
import { siteHeader } from './site-header.ts'

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

/** The reference in two parts, each of a document. */
const parts = [
  { path: '/', name: 'The API', document: '/openapi.json' },
  { path: '/extensions', name: 'Beyond its specification', document: '/openapi.extensions.json' },
]
const links = (here: string) =>
  parts.map(({ path, name }) => {
    const current = new Html(path === here ? ' aria-current="page"' : '')
    return html`<a href="/docs${path}"${current}>${name}</a> `
  })

/** Opens the viewer; with the demo data's public application, which lets people log in without registering one. */
const pageOf = ({ path, document }: (typeof parts)[number], clientId = '') => html`<!doctype html>
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
${siteHeader}
<noscript>The reference needs JavaScript. The document itself is at <a href="${document}">${document}</a>.</noscript>
<nav class="parts" aria-label="Documents">${links(path)}<a href="/asyncapi.json">Events (AsyncAPI)</a></nav>
<section class="parts" aria-label="Your own token"><button id="own-token" type="button">Use a token of mine</button><span role="status"></span></section>
<main id="reference"></main>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js" data-document="${document}" data-client-id="${clientId}"></script>
</body>
</html>
`

/** Where a login ends: hands the code to the page that opened it, and closes. */
const redirectPage = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Logged in</title></head>
<body><p>You are logged in; this window can be closed.</p><script src="/docs/assets/oauth2-redirect.js"></script></body>
</html>
`

/** The reference pages: the OpenAPI documents in Swagger UI, with "try it", served by ourselves alone. */
export function referencePages({ demoClientId }: Context): Router {
  const router = Router()
  router.use((_request, response, next) => {
    response.set({ 'Content-Security-Policy': policy, 'X-Frame-Options': 'DENY', 'Referrer-Policy': 'no-referrer' })
    next()
  })
  for (const part of parts) {
    const { text } = pageOf(part, demoClientId)
    router.get(part.path, (_request, response) => void response.type('html').send(text))
  }
  router.get('/oauth2-redirect.html', (_request, response) => void response.type('html').send(redirectPage.text))
  router.get('/reference.js', (_request, response) => void response.type('js').send(referenceScript))
  router.get('/reference.css', (_request, response) => void response.type('css').send(referenceStyle))
  router.use('/assets', onlyViewer, express.static(assets, { index: false, redirect: false, maxAge: '1h' }))
  return router
}

/** Serves only the files of the package that the pages name. */
const onlyViewer: express.RequestHandler = ({ path }, _response, next) =>
  next(/^\/(swagger-ui\.css|swagger-ui-bundle\.js|oauth2-redirect\.js)$/.test(path) ? undefined : 'router')
