import { type Html, html } from '../html.ts'
import type { Guide } from './guide-list.ts'
import { idOf } from './markdown.ts'

/** A part of a guide under a heading of its own; `text` as plain words, `folded` as it is searched. */
type Section = { guide: Guide; heading: string; id: string; text: string; folded: string }

const FOUND_MAX = 20
const SHOWN_LENGTH = 180
const HEADING = /^(#{1,3}) (.*)$/

/** The parts of a guide, from one heading to the next. */
export function sectionsOf(guide: Guide, markdown: string): Section[] {
  const parts: { heading: string; lines: string[] }[] = []
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) {
      isCode = !isCode
      continue
    }
    const [, , heading] = (isCode ? null : HEADING.exec(line)) ?? []
    if (heading !== undefined) parts.push({ heading, lines: [] })
    else parts.at(-1)?.lines.push(line)
  }
  return parts.map(({ heading, lines }) => {
    const text = plain(lines.join(' '))
    return {
      guide,
      heading: plain(heading),
      id: idOf(heading),
      text,
      folded: `${plain(heading)} ${text}`.toLowerCase(),
    }
  })
}

const plain = (markdown: string) =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/[`*|]|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The parts that have all the words, those first whose heading has them. */
export function searchGuides(sections: readonly Section[], asked: string): Html {
  const words = asked
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return html`<h1>Search</h1><p>Write one or more words, such as <code>signature</code>.</p>`
  const has = (text: string) => words.filter((word) => text.includes(word)).length
  const found = sections
    .filter(({ folded }) => has(folded) === words.length)
    .map((section) => ({ section, worth: has(section.heading.toLowerCase()) }))
    .sort((one, other) => other.worth - one.worth)
    .slice(0, FOUND_MAX)
  const heading = html`<h1>Search: ${asked}</h1>`
  if (found.length === 0) return html`${heading}<p>Nothing has all of these words.</p>`
  const [first = ''] = words
  return html`${heading}<ul class="guides">${found.map(({ section }) => result(section, first))}</ul>`
}

function result({ guide, heading, id, text }: Section, word: string): Html {
  const title = heading === guide.title ? heading : `${guide.title}: ${heading}`
  const from = Math.max(0, text.toLowerCase().indexOf(word) - SHOWN_LENGTH / 3)
  const shown = text.slice(from, from + SHOWN_LENGTH)
  return html`<li><a href="/docs/guides/${guide.name}#${id}">${title}</a><br>${from > 0 ? '…' : ''}${shown}…</li>`
}
