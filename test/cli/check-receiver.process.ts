import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { receiverCases } from '../../src/cli/receiver/cases.ts'
import { newSigningSecret, verify } from '../../src/domain/webhooks/secrets/sign.ts'
import { freePort } from '../support/free-port.ts'
import { type Answering, type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { createConsole, secretFiles } from './console.ts'

const secret = newSigningSecret()
const secretFile = secretFiles()
afterAll(() => secretFile[Symbol.dispose]())
const console = createConsole()

const headOf = ({ headers }: Received) => ({
  id: headers['webhook-id'] ?? '',
  timestamp: headers['webhook-timestamp'] ?? '',
  signature: headers['webhook-signature'] ?? '',
})
const isOurs = (received: Received, by = secret) => verify(by, headOf(received), received.body, Date.now() / 1_000)

/** A receiver as the guide describes it. */
const good: Answering = (received) => ({ status: isOurs(received) ? 204 : 400 })

/** Grades a receiver; resolves with what a shell sees and the names of the cases that it missed. */
async function grade(answering: Answering) {
  await using receiver: Receiver = await startReceiver(answering)
  return await gradeAt(receiver.url)
}

/** The cases that any receiver of these tests has missed. */
const caught = new Set<string>()

async function gradeAt(url: string) {
  const words = ['check-receiver', url, '--secret-file', secretFile(secret), '--json']
  const { status, stdout, stderr } = await console.run(words)
  const { cases = [], missed } = JSON.parse(stdout)
  const misses = cases.filter(({ passed }: { passed: boolean }) => !passed)
  for (const { name } of misses) caught.add(name)
  return { status, stderr, missed, misses, names: misses.map(({ name }: { name: string }) => name) }
}

test('a receiver that does as the guide says passes, with status 0', async () => {
  expect(await grade(good)).toEqual({ status: 0, stderr: '', missed: 0, misses: [], names: [] })
})

test.each(['http', 'https'])(
  'a receiver that is not there is one sentence and status 1, and no case is played: %s',
  async (scheme) => {
    const url = `${scheme}://127.0.0.1:${await freePort()}/webhooks`
    const command = ['check-receiver', url, '--secret-file', secretFile(secret)]
    const { status, stdout, stderr } = await console.run(command)
    expect([status, stdout, stderr.match(/\n/g)?.length]).toEqual([1, '', 1])
    expect(stderr).toContain(`${url} cannot be reached: connect ECONNREFUSED`)
    expect(stderr).toContain('no case was played')
    const asJson = await console.run([...command, '--json'])
    expect([asJson.status, JSON.parse(asJson.stdout).error.code]).toEqual([1, 'unreachable'])
  },
)

describe('a receiver is caught that', () => {
  const bodyOf = ({ body }: Received) => JSON.parse(String(body))
  let seen: Set<string>
  let last = 0
  let isBroken = false
  beforeAll(() => {
    seen = new Set()
  })

  const mistakes: [string, Answering, string[]][] = [
    [
      'verifies nothing',
      () => ({ status: 204 }),
      ['a wrong signature', 'no signature', 'a body that was changed', 'an old timestamp'],
    ],
    [
      'ignores the time',
      (received) => ({
        status: verify(secret, headOf(received), received.body, Number(headOf(received).timestamp)) ? 204 : 400,
      }),
      ['an old timestamp'],
    ],
    [
      'judges what it has parsed and written again',
      (received) => {
        const body = Buffer.from(JSON.stringify(bodyOf(received)))
        return { status: isOurs({ ...received, body }) ? 204 : 400 }
      },
      ['a body that was changed'],
    ],
    [
      'reads the first signature alone',
      (received) => {
        const [first = ''] = headOf(received).signature.split(' ')
        const headers = { ...received.headers, 'webhook-signature': first }
        return { status: isOurs({ ...received, headers }) ? 204 : 400 }
      },
      ['two signatures, as during a rotation'],
    ],
    [
      'refuses what it has seen',
      (received) => {
        const { id } = headOf(received)
        const isKnown = seen.has(id)
        seen.add(id)
        return { status: !isOurs(received) ? 400 : isKnown ? 409 : 204 }
      },
      ['a duplicate'],
    ],
    [
      'wants events in order',
      (received) => {
        if (!isOurs(received)) return { status: 400 }
        const { sequence } = bodyOf(received)
        const isLate = sequence !== 0 && sequence < last
        last = sequence
        return { status: isLate ? 422 : 204 }
      },
      ['events out of order'],
    ],
    [
      'knows all types',
      (received) => ({ status: !isOurs(received) ? 400 : bodyOf(received).type.startsWith('chat.') ? 204 : 500 }),
      ['a type that is not known yet'],
    ],
    [
      'takes small bodies alone',
      (received) => ({ status: received.body.length > 50_000 ? 413 : isOurs(received) ? 204 : 400 }),
      ['64 KiB'],
    ],
    [
      'breaks over another content type',
      (received) => ({
        status: received.headers['content-type'] === 'text/plain' ? 500 : isOurs(received) ? 204 : 400,
      }),
      ['another content type'],
    ],
    [
      'is broken by it for good',
      (received) => {
        isBroken ||= received.headers['content-type'] === 'text/plain'
        return { status: isBroken ? 500 : isOurs(received) ? 204 : 400 }
      },
      ['another content type', 'a delivery after all that'],
    ],
  ]
  test.each(mistakes)('%s', async (_, answering, names) => {
    const graded = await grade(answering)
    expect(graded.names).toEqual(names)
    expect(graded.status).toBe(1)
  })

  test('judges what has come before all has', async () => {
    await using hasty = createServer((request, response) => {
      request.once('data', (body: Buffer) => {
        const headers = request.headers as Record<string, string>
        const isOurs = verify(secret, headOf({ headers } as Received), body, Date.now() / 1_000)
        request.resume().once('end', () => response.writeHead(isOurs ? 204 : 400).end())
      })
    }).listen(0, '127.0.0.1')
    await once(hasty, 'listening')
    const { names } = await gradeAt(`http://127.0.0.1:${(hasty.address() as AddressInfo).port}/`)
    expect(names).toContain('a body that comes slowly')
  })

  test('redirects, or hangs up without an answer', async () => {
    expect((await grade(() => ({ status: 302, headers: { location: '/' } }))).names).toContain('a delivery')
    await using silent = createServer((_, response) => response.destroy()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const { status, stdout } = await console.run([
      'check-receiver',
      `http://127.0.0.1:${port}/`,
      '--secret-file',
      secretFile(secret),
    ])
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/miss {2}a delivery: it did not answer.*webhooks\.md#what-we-promise/),
    ])
  })
})

test('each case is missed by a receiver of these tests: it can fail', () => {
  expect(receiverCases.filter(({ name }) => !caught.has(name)).map(({ name }) => name)).toEqual([])
})

test('each miss names a section that the guide has', () => {
  const guide = readFileSync('docs/guides/webhooks.md', 'utf8')
  const sections = [...guide.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'))
  for (const { guide: section } of receiverCases) expect(sections).toContain(section)
})

test('the secret is no argument', async () => {
  const { status, stderr } = await console.run(['check-receiver', 'http://127.0.0.1:1/', '--secret', secret])
  expect([status, stderr]).toEqual([1, expect.stringContaining('--secret-file')])
  expect((await console.run(['check-receiver', 'http://127.0.0.1:1/'])).stderr).toContain('WEBHOOK_SECRET')
})
