import { type Request, type Response, Router } from 'express'
import { Html, html, htmlDocument } from '../html.ts'
import { type Guide, guides, readGuide } from './guide-list.ts'
import { guideScript } from './guide-script.ts'
import { type Section, searchGuides, searchHeadings, sectionsOf } from './guide-search.ts'
import { guideStyle } from './guide-style.ts'
import { renderMarkdown } from './markdown.ts'
import { siteHeader } from './site-header.ts'

const headers = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

/** A block that names its file, which can then be fetched beside the guides: its name and its text. */
const EXAMPLE_FILE = /^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm

/**
 * The guides as pages, which need no script: it only adds buttons that copy. As the Markdown that they are written in, and the
 * files of their examples; and a search through all of them.
 */
export function guidePages(publicUrl: string): Router {
  const router = Router()
  router.get('/style.css', (_request, response) => void response.set(headers).type('css').send(guideStyle))
  router.get('/script.js', (_request, response) => void response.set(headers).type('js').send(guideScript))
  router.get('/', (_request, response) => showPage(response, { title: 'Guides', body: overview }))
  let sections: Section[] | undefined
  const search = () => {
    sections ??= guides.flatMap((guide) => sectionsOf(guide, readGuide(guide, publicUrl)))
    return sections
  }
  const askedOf = ({ query: { q } }: Request) => (typeof q === 'string' ? q.slice(0, ASKED_LENGTH_MAX) : '')
  router.get('/search.json', (request, response) => {
    response.set(headers).json(searchHeadings(search(), askedOf(request)))
  })
  router.get('/search', (request, response) => {
    const asked = askedOf(request)
    showPage(response, { title: 'Search', body: searchGuides(search(), asked), asked })
  })
  for (const guide of guides) mountGuide(router, guide, publicUrl)
  return router
}

const ASKED_LENGTH_MAX = 100

function mountGuide(router: Router, guide: Guide, publicUrl: string): void {
  const { name, title } = guide
  const text = readGuide(guide, publicUrl)
  let body: Html | undefined
  router.get(`/${name}`, (_request, response) => {
    body ??= new Html(renderMarkdown(text))
    showPage(response, { title, body, guide })
  })
  router.get(`/${name}.md`, (_request, response) => void response.set(headers).type('text/markdown').send(text))
  for (const [, file, code] of text.matchAll(EXAMPLE_FILE)) {
    router.get(`/${file}`, (_request, response) => void response.set(headers).type('txt').send(code))
  }
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

const overview = html`<h1>Guides</h1>
<ul class="guides">${guides.map(({ name, title, about }) => html`<li><a href="/docs/guides/${name}">${title}</a><br>${about}</li>`)}</ul>
<p>Every guide is also there as Markdown: add <code>.md</code> to its address. Everything at a glance for programs that read: <a href="/llms.txt">llms.txt</a>.</p>`

type Shown = { title: string; body: Html; guide?: Guide; asked?: string }

function showPage(response: Response, { title, body, guide, asked = '' }: Shown): void {
  const outline = outlineOf(body)
  const columns = html`${siteHeader}
<div class="columns">
<nav aria-label="Guides">${searchForm(asked)}<ul>${guides.map((one) => linkTo(one, one === guide))}</ul></nav>
<main>${folded(outline)}${body}${guide && nextOf(guide)}</main>
${beside(outline)}
</div>`
  const page = {
    title: `${title} · Developer platform`,
    styleSheet: '/docs/guides/style.css',
    script: '/docs/guides/script.js',
    body: columns,
  }
  response.set(headers).type('html').send(htmlDocument(page))
}

const linkTo = ({ name, title }: Guide, isHere: boolean) => {
  const here = new Html(isHere ? ' aria-current="page"' : '')
  return html`<li><a href="/docs/guides/${name}"${here}>${title}</a></li>`
}

const searchForm = (asked: string) => html`<form action="/docs/guides/search" role="search">
<label for="q">Search the guides</label><input id="q" name="q" type="search" value="${asked}" maxlength="${String(ASKED_LENGTH_MAX)}"><button>Search</button>
</form>`

/** What to read next, and what comes before it. */
function nextOf(guide: Guide): Html {
  const place = guides.indexOf(guide)
  const [before, next] = [guides[place - 1], guides[place + 1]]
  return html`<nav class="next" aria-label="More guides">
${before && html`<a rel="prev" href="/docs/guides/${before.name}"><small>Before</small> ${before.title}</a>`}
${next && html`<a rel="next" href="/docs/guides/${next.name}"><small>Next</small> ${next.title}</a>`}
</nav>`
}

const HEADING = /<h([23]) id="([^"]*)">(.*?)<\/h[23]>/g

/** The headings of a page that has several, to jump to. */
function outlineOf({ text }: Html): Html | undefined {
  const found = [...text.matchAll(HEADING)]
  if (found.length < 2) return undefined
  const links = found.map(([, depth = '', id = '', inner = '']) => {
    const words = new Html(inner.replaceAll(/<\/?a[^>]*>/g, ''))
    return html`<li class="depth-${depth}"><a href="#${id}">${words}</a></li>`
  })
  return html`<ul>${links}</ul>`
}

/** Where there is room it stands beside the page; else it is folded away above it. */
const beside = (outline: Html | undefined) =>
  outline && html`<nav class="outline" aria-label="On this page"><p>On this page</p>${outline}</nav>`
const folded = (outline: Html | undefined) =>
  outline && html`<details class="outline-fold"><summary>On this page</summary>${outline}</details>`
