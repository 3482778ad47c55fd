import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const markdownIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
const documents = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...['docs', 'sdk', 'src', 'ops'].flatMap(markdownIn),
]
const textOf = (file: string) => readFileSync(file, 'utf8')
/** What stands between the fences of examples is no text of ours. */
const proseOf = (file: string) => textOf(file).replaceAll(/^```[\s\S]*?^```$/gm, '')

/** The anchors of a document: its headings, as GitHub and our guides name them, and what it names itself. */
function anchorsOf(file: string): Set<string> {
  const headings = [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  )
  const named = [...textOf(file).matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)
  return new Set([...headings, ...named])
}

test('every link between documents leads to a file, and to a heading that it has', () => {
  const links = documents.flatMap((file) =>
    [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ file, target })),
  )
  const ours = links.filter(({ target }) => !/^([a-z]+:|\/)/.test(target)) // those of the service are tried where they are served
  expect(ours.length).toBeGreaterThan(50)
  const dead = ours.filter(({ file, target }) => {
    const [path = '', anchor] = target.split('#')
    const to = path === '' ? file : join(dirname(file), path)
    return !existsSync(to) || (anchor !== undefined && to.endsWith('.md') && !anchorsOf(to).has(anchor))
  })
  expect(dead).toEqual([])
})

test('every script of npm that a document names is there', () => {
  const { scripts } = JSON.parse(textOf('package.json'))
  const named = documents.flatMap((file) =>
    [...textOf(file).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name),
  )
  expect(named.length).toBeGreaterThan(20)
  expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([])
})
