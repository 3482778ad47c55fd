import { type Html, html } from '../html.ts'
import type { Guide } from './guide-list.ts'
import { idOf } from './markdown.ts'

/** A part of a guide under a heading of its own; `text` as plain words, `folded` as it is searched. */
export type Section = { guide: Guide; heading: string; id: string; text: string; folded: string }

const FOUND_MAX = 20
const HEADINGS_MAX = 6
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
      folded: `${guide.title} ${plain(heading)} ${text}`.toLowerCase(),
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

const wordsOf = (asked: string) =>
  asked
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')

const countIn = (text: string, words: readonly string[]) => words.filter((word) => text.includes(word)).length

/** The parts that have all the words, those first whose heading has them. */
function findSections(sections: readonly Section[], words: readonly string[]): Section[] {
  if (words.length === 0) return []
  return sections
    .filter(({ folded }) => countIn(folded, words) === words.length)
    .map((section) => ({ section, worth: countIn(section.heading.toLowerCase(), words) }))
    .sort((one, other) => other.worth - one.worth)
    .map(({ section }) => section)
}

/** Of these the ones whose heading and guide have all the words by name, for the search of the console. */
export function searchHeadings(sections: readonly Section[], asked: string) {
  const words = wordsOf(asked)
  return findSections(sections, words)
    .filter(({ guide, heading }) => countIn(`${guide.title} ${heading}`.toLowerCase(), words) === words.length)
    .slice(0, HEADINGS_MAX)
    .map((section) => ({ title: titleOf(section), about: section.guide.about, path: addressOf(section) }))
}

/** The same as a page, with what the parts say. */
export function searchGuides(sections: readonly Section[], asked: string): Html {
  const words = wordsOf(asked)
  if (words.length === 0) return html`<h1>Search</h1><p>Write one or more words, such as <code>signature</code>.</p>`
  const found = findSections(sections, words).slice(0, FOUND_MAX)
  const heading = html`<h1>Search: ${asked}</h1>`
  if (found.length === 0) return html`${heading}<p>Nothing has all of these words.</p>`
  const [first = ''] = words
  return html`${heading}<ul class="guides">${found.map((section) => result(section, first))}</ul>`
}

const titleOf = ({ guide, heading }: Section) => (heading === guide.title ? heading : `${guide.title}: ${heading}`)
const addressOf = ({ guide, id }: Section) => `/docs/guides/${guide.name}#${id}`

function result(section: Section, word: string): Html {
  const { text } = section
  const from = Math.max(0, text.toLowerCase().indexOf(word) - SHOWN_LENGTH / 3)
  const shown = text.slice(from, from + SHOWN_LENGTH)
  return html`<li><a href="${addressOf(section)}">${titleOf(section)}</a><br>${from > 0 ? '…' : ''}${shown}…</li>`
}
