import { html } from '../html.ts'

/** Where one goes from a page of the documentation. */
export const siteHeader = html`<header><a class="home" href="/console/">Developer platform</a>
<nav aria-label="Site"><a href="/docs/guides/">Guides</a> <a href="/docs/">API reference</a> <a href="/console/">Console</a></nav></header>`
