import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Response, Router } from 'express'
import { projectFolder } from '../../../project-folder.ts'
import { Html, html, htmlDocument } from '../html.ts'
import { guideStyle } from './guide-style.ts'
import { renderMarkdown } from './markdown.ts'
import { siteHeader } from './site-header.ts'

/** The guides in the order in which they are read; each is a file of docs/guides, which is not copied. */
const guides = [
  { name: 'quick-start', title: 'Quick start', about: 'From nothing to a verified webhook, in five minutes.' },
  { name: 'authentication', title: 'Authentication', about: 'API keys, OAuth 2.1, scopes, refreshing and revoking.' },
  { name: 'dpop', title: 'Keys instead of secrets', about: 'Signing who you are, and tokens that are bound to a key.' },
  { name: 'webhooks', title: 'Webhooks', about: 'Events, deliveries, and verifying them in four languages.' },
  {
    name: 'feed',
    title: 'The feed',
    about: 'The same events without a public address: bots, overlays, jobs that pull.',
  },
  {
    name: 'going-live',
    title: 'Going live',
    about: 'With OBS or another encoder: the server, the key, and what happens when.',
  },
  { name: 'overlays', title: 'Overlays', about: 'Your chat in a browser source, and the keys of overlays.' },
  { name: 'agents', title: 'Agents', about: 'The operations as tools, by the Model Context Protocol.' },
  { name: 'paging', title: 'Paging', about: 'Walking lists, and asking whether something has changed.' },
  { name: 'errors', title: 'Errors', about: 'One shape, every code, and trying again safely.' },
  { name: 'limits', title: 'Limits', about: 'Requests, sizes, numbers and times.' },
  { name: 'versioning', title: 'Versioning', about: 'What may change, and what does not.' },
]

const FOLDER = join(projectFolder, 'docs/guides/')
/** The files have this in place of the address of the service. */
const EXAMPLE = 'https://api.example.com'

const headers = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

/** A block that names its file, which can then be fetched beside the guides: its name and its text. */
const EXAMPLE_FILE = /^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm

/** The guides as pages, without script, as the Markdown that they are written in, and the files of their examples. */
export function guidePages(publicUrl: string): Router {
  const router = Router({ strict: true })
  router.get('/style.css', (_request, response) => void response.set(headers).type('css').send(guideStyle))
  router.get('/', (_request, response) => showGuide(response, 'Guides', overview))
  for (const { name, title } of guides) {
    const text = readGuide(name, publicUrl)
    const body = new Html(renderMarkdown(text))
    router.get(`/${name}`, (_request, response) => showGuide(response, title, body, name))
    router.get(`/${name}/`, (_request, response) => response.redirect(308, `../${name}`))
    router.get(`/${name}.md`, (_request, response) => void response.set(headers).type('text/markdown').send(text))
    for (const [, file, code] of text.matchAll(EXAMPLE_FILE)) {
      router.get(`/${file}`, (_request, response) => void response.set(headers).type('txt').send(code))
    }
  }
  return router
}

/** What there is to read, for programs that read: https://llmstxt.org. */
export function llmsText(publicUrl: string): string {
  const links = guides.map(({ name, title, about }) => `- [${title}](${publicUrl}/docs/guides/${name}.md): ${about}`)
  return `# Developer API of a live-streaming platform

> REST under ${publicUrl}/v1 with bearer credentials, OAuth 2.1, and signed webhooks. Answers are {"data": …} or {"error": {"code", "message"}}.

## Guides

${links.join('\n')}

## For agents

- [MCP server](${publicUrl}/mcp): the operations as tools, for whoever logs in (Streamable HTTP; answers 401 without a token)
- [Its metadata](${publicUrl}/.well-known/oauth-protected-resource/mcp): where to log in (RFC 9728)

## Reference

- [OpenAPI 3.1](${publicUrl}/openapi.json): every operation with its scopes, inputs, answers and error codes
- [OpenAPI 3.1, beyond the specification](${publicUrl}/openapi.extensions.json): the feed of events
- [AsyncAPI 3](${publicUrl}/asyncapi.json): every event, as the feed streams it and as webhooks deliver it
- [Event schemas](${publicUrl}/events/schemas.json): JSON Schema of every webhook payload
- [OAuth metadata](${publicUrl}/.well-known/oauth-authorization-server): endpoints and what they support (RFC 8414)
`
}

const readGuide = (name: string, publicUrl: string) =>
  readFileSync(`${FOLDER}${name}.md`, 'utf8').replaceAll(EXAMPLE, publicUrl)

const overview = html`<h1>Guides</h1>
<ul class="guides">${guides.map(({ name, title, about }) => html`<li><a href="/docs/guides/${name}">${title}</a><br>${about}</li>`)}</ul>
<p>Every guide is also there as Markdown: add <code>.md</code> to its address. Everything at a glance for programs that read: <a href="/llms.txt">llms.txt</a>.</p>`

function showGuide(response: Response, title: string, body: Html, name?: string): void {
  const links = guides.map((guide) => {
    const isHere = guide.name === name
    const here = new Html(isHere ? ' aria-current="page"' : '')
    return html`<li><a href="/docs/guides/${guide.name}"${here}>${guide.title}</a></li>`
  })
  const columns = html`${siteHeader}
<div class="columns">
<nav aria-label="Guides"><ul>${links}</ul></nav>
<main>${body}</main>
</div>`
  const page = { title: `${title} · Developer platform`, styleSheet: '/docs/guides/style.css', body: columns }
  response.set(headers).type('html').send(htmlDocument(page))
}
