import { escapeMarkup } from '../../shared/escape-markup.ts'

/** Markup that is safe to show: made by `html` alone. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | Html | readonly Html[] | undefined

/** A template for markup. Whatever is put in is escaped, in text and in quoted attributes, unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, index) => text + markupOf(parts[index])).join(''))
}

function markupOf(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'string') return escapeMarkup(part)
  return part instanceof Html ? part.text : part.map(({ text }) => text).join('')
}

type Document = { title: string; styleSheet: string; script?: string | undefined; body: Html }

/** A whole document, for phones too, light or dark as the reader has it. */
export const htmlDocument = ({ title, styleSheet, script, body }: Document): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${styleSheet}">
${script && html`<script src="${script}" defer></script>`}
</head>
<body>
${body}
</body>
</html>
`.text
