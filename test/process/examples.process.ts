import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { commandsThatExist, createConsole } from '../cli/console.ts'
import { judged, openShell } from '../support/documents.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { folderWithCluster, type Service, startService } from '../support/process.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** A folder that looks like the project, beside a service with its demo data. */
const desk = temporaryFolder()
const data = folderWithCluster()
const env = { DATA_DIR: data.path, DEMO_DATA: 'on' }
let service: Service

beforeAll(async () => {
  service = await startService(env)
  for (const name of ['bin', 'dist', 'node_modules', 'package.json']) symlinkSync(resolve(name), join(desk.path, name))
  symlinkSync(data.path, join(desk.path, '.data'))
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  for (const folder of [desk, data]) folder[Symbol.dispose]()
})

/** What its help shows, as lines of a shell. */
async function examplesOf(command: string): Promise<string[]> {
  const { stdout } = await createConsole().run([...command.split(' '), '--help'])
  const [, shown = ''] = stdout.split('Examples:\n')
  return shown
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^ {2}\$ /, ''))
}

/** The first one: as far as the command itself. */
async function firstExampleOf(command: string): Promise<string> {
  const lines = await examplesOf(command)
  const end = lines.findIndex((line) => /(^|\| )npx developer-api/.test(line) && line.includes(command))
  return lines.slice(0, end + 1).join('\n')
}

/** What goes on until it is stopped; what asks a person in a browser (`login.process.ts`); and what the demo data has nothing for: nobody there has a second factor, or is leaving. */
const notTried = ['serve', 'worker', 'events listen', 'login', 'logout', 'user reset-factors', 'user reopen']
const tried = (await commandsThatExist()).filter((command) => !notTried.includes(command))

async function expectPasted(shown: string): Promise<void> {
  const port = await freePort()
  const example = shown
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
    .replaceAll('receiver.mjs 4000', `receiver.mjs ${port}`)
    .replaceAll('http://127.0.0.1:3000', service.base)
    .replaceAll('npx developer-api', 'node bin/developer-api.mjs')
  expect(example).not.toBe('')
  using shell = openShell(env, desk.path)
  const { output, status } = await shell.run(judged(example))
  await shell.run('[ -z "$!" ] || kill $!')
  expect({ example, status, output: status === 0 ? '' : output }).toEqual({ example, status: 0, output: '' })
}

test.each(tried)('the first example of %s works when it is pasted', async (command) => {
  await expectPasted(await firstExampleOf(command))
})

test.each(['events listen', 'request explain'])('all examples of %s work when they are pasted', async (command) => {
  const lines = await examplesOf(command)
  const bounded = lines.map((line) =>
    line.includes('events listen --forward-to') ? `${line.replace(/ --count.*/, '')} --timeout 2` : line,
  )
  await expectPasted(bounded.join('\n'))
})
