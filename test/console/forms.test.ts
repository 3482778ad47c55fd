import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const CONSOLE = 'src/client/console'
const OURS = /^components\/forms\//

const sources = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(CONSOLE, name), 'utf8') }))
const namesOf = (is: (text: string) => boolean) =>
  sources.filter(({ name, text }) => !OURS.test(name) && is(text)).map(({ name }) => name)

test('no form leaves it to the browser to say what is missing: that would be said in its language, and not be heard', () => {
  expect(namesOf((text) => text.includes('<Form\n') || text.includes('<Form ')).length).toBeGreaterThan(10)
  const isLeft = (text: string) =>
    text.includes('<form') && !text.includes('noValidate') && /required|type="/.test(text)
  expect(namesOf(isLeft).filter((name) => name !== 'studio/composer.tsx')).toEqual([])
  const composer = sources.find(({ name }) => name === 'studio/composer.tsx')?.text ?? ''
  expect(composer).not.toMatch(/required|type="(?!submit)/)
})

test('whatever is asked of the service and fails is said: no change is made whose failure nobody looks at', () => {
  const isUnsaid = (text: string) => text.includes('useMutation(') && !/\berror\b/.test(text)
  expect(namesOf((text) => text.includes('useMutation(')).length).toBeGreaterThan(1)
  expect(namesOf(isUnsaid).filter((name) => !name.endsWith('use-sender.ts'))).toEqual([])
})
