import { Marked, type Tokens } from 'marked'
import { escapeMarkup } from '../../../shared/escape-markup.ts'

/** The identifier by which a heading is linked to. */
export const idOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\w]+/g, '-')
    .replace(/^-|-$/g, '')

/**
 * Our own Markdown as HTML. Headings can be linked to, links between guides lead to pages, and what may be wider than the
 * page scrolls by itself, also by the keyboard.
 */
const marked = new Marked({
  gfm: true,
  renderer: {
    heading({ tokens, depth, text }: Tokens.Heading) {
      return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    code({ text, lang = '' }: Tokens.Code) {
      const [language = ''] = lang.split(' ')
      return `<pre tabindex="0" aria-label="Example: ${escapeMarkup(language)}"><code>${escapeMarkup(text)}</code></pre>\n`
    },
    link({ href, tokens }: Tokens.Link) {
      const target = href.replace(/^([a-z-]+)\.md(?=#|$)/, '/docs/guides/$1')
      return `<a href="${escapeMarkup(target)}">${this.parser.parseInline(tokens)}</a>`
    },
  },
})

export function renderMarkdown(text: string): string {
  let tables = 0
  return marked
    .parse(text, { async: false })
    .replaceAll('<table>', () => `<div class="table" tabindex="0" role="region" aria-label="Table ${++tables}"><table>`)
    .replaceAll('</table>', '</table></div>')
}
