import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestContext } from '../support/context.ts'
import { createConsole, secretFiles } from './console.ts'

let own: Awaited<ReturnType<typeof createTestContext>>
let run: ReturnType<typeof createConsole>['run']
const fileWith = secretFiles()
beforeAll(async () => {
  own = await createTestContext()
  ;({ run } = createConsole(own.context))
  await own.user('alice')
})
afterAll(async () => {
  fileWith[Symbol.dispose]()
  await own[Symbol.asyncDispose]()
})

const verify = [
  'webhook',
  'verify',
  '--secret-file',
  fileWith('s'),
  '--id',
  'evt_1',
  '--timestamp',
  '1',
  '--signature',
  'v1,x',
]
test.each([
  ['an unknown command', ['nonsense'], /unknown command 'nonsense': npx developer-api --help lists them/],
  ['an unknown option', ['migrate', '--nonsense'], /unknown option '--nonsense'/],
  ['a missing option', ['user', 'create', '--email', 'a@example.org'], /required option '--username <name>'/],
  ['a command that is almost one', ['usr'], /unknown command 'usr' \(Did you mean user\?\): /],
  ['a scope that does not exist', ['client', 'create', '--name', 'x', '--scopes', 'all'], /"all" is none of user:read/],
  ['a number that is none', ['seed', '--size', 'many'], /'--size <channels>' .*whole number/],
  ['a refusal of the domain', ['user', 'create', '--username', 'x', '--email', 'a@example.org'], /^username: must be/],
  [
    'a name that is taken',
    ['user', 'create', '--username', 'alice', '--email', 'b@example.org'],
    /^username: is taken.$/m,
  ],
  [
    'an event type that does not exist',
    ['events', 'trigger', 'x', '--subscription', 'sub_1'],
    /"x" is none of webhook.test, livestream/,
  ],
  [
    'a public application without a way back',
    ['client', 'create', '--name', 'x', '--public'],
    /^redirect_uris: must be at least one/,
  ],
  ['something that is not there', ['key', 'revoke', 'key_1'], /no living key/],
  ['a file that is not there', [...verify, '--body', '/nowhere.json'], /\/nowhere.json/],
])('%s is one line and status 1', async (_, args, pattern) => {
  const { status, stdout, stderr } = await run(args)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr).toMatch(pattern)
})

test.each([
  ['key', ['events', 'replay', '--subscription', 'sub_1']],
  ['secret', ['events', 'listen', '--forward-to', 'http://127.0.0.1:9/']],
  ['password', ['user', 'create', '--username', 'eve', '--email', 'eve@example.org']],
])('a %s among the arguments is refused in one line, which does not repeat it', async (name, args) => {
  const { status, stdout, stderr } = await run([...args, `--${name}`, 'hunter2hunter2'])
  const line = `--${name} shows it to everybody on this machine: use --${name}-file, "-" for standard input\n`
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: line })
  expect((await run([...args.slice(0, 2), '--help'])).stdout).not.toMatch(new RegExp(`--${name} `))
})

test('verify takes its secret from a file or the environment; among the arguments it still does, and warns', async () => {
  const rest = verify.slice(4)
  vi.stubEnv('WEBHOOK_SECRET', 's')
  const byEnvironment = await run(['webhook', 'verify', ...rest], { input: '{}' })
  vi.unstubAllEnvs()
  const byFile = await run(verify, { input: '{}' })
  expect([byEnvironment.stderr, byFile.stderr, byEnvironment.stdout]).toEqual(['', '', byFile.stdout])
  const warned = await run(['webhook', 'verify', '--secret', 's', ...rest], { input: '{}' })
  expect([warned.stdout, warned.stderr]).toEqual([
    byFile.stdout,
    expect.stringMatching(/^--secret shows it to everybody/),
  ])
  expect((await run(['webhook', 'verify', ...rest])).stderr).toMatch(
    /^the signing secret is missing: use --secret-file, or/,
  )
  const both = await run(['webhook', 'verify', '--secret-file', '-', ...rest])
  expect(both.stderr).toMatch(/^standard input is the body: name a file/)
})

test('a program reads what is wrong where it reads answers: one line of JSON', async () => {
  const failures = [
    [['seed', '--size', 'many'], 'usage'],
    [['nonsense'], 'usage'],
    [['key', 'revoke', 'key_1'], 'not_found'],
    [['client', 'create', '--name', 'x', '--public'], 'invalid_request'],
    [[...verify, '--body', '/nowhere.json'], 'failed'],
  ] as const
  for (const [args, code] of failures) {
    const { status, stdout, stderr } = await run([...args, '--json'])
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    expect(stdout).toMatch(/^[^\n]+\n$/)
    expect(JSON.parse(stdout).error).toMatchObject({ code, message: expect.any(String) })
  }
})

test('a signature that does not fit is an answer, with status 1', async () => {
  const { status, stdout, stderr } = await run([...verify, '--json'], { input: '{}' })
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ valid: false, reason: expect.stringContaining('secret') })
})
