import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Pair = { down: string; up: string }

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

/** What is logged when something fails and when it works again: of a template, what stands before its first part. */
const logged: Pair[] = files.flatMap((name) =>
  [...readFileSync(`src/${name}`, 'utf8').matchAll(/\bdown: (['`])(.*?)\1,\s*up: (['`])(.*?)\3/g)].map(
    ([, , down = '', , up = '']) => ({ down: fixed(down), up: fixed(up) }),
  ),
)

const documented: Pair[] = [
  ...readFileSync('docs/operations.md', 'utf8').matchAll(/^\| `([^`]+)`.* \| `([^`]+)`[^|]*\|$/gm),
].map(([, down = '', up = '']) => ({ down: down.replace(/…$/, ''), up }))

function fixed(text: string) {
  return text.split('${')[0] ?? ''
}
const begins = (one: string, other: string) => one.startsWith(other) || other.startsWith(one)
const isSame = (one: Pair, other: Pair) => begins(one.down, other.down) && begins(one.up, other.up)

test('operations.md names both lines of each outage', () => {
  expect(logged.length).toBeGreaterThan(15)
  expect(logged.filter((pair) => !documented.some((row) => isSame(pair, row)))).toEqual([])
})

test('and none that is not logged', () => {
  expect(documented.filter((row) => !logged.some((pair) => isSame(pair, row)))).toEqual([])
})
