import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, test } from 'vitest'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { problems } from '../../src/domain/core/problem-table.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { subscribableTypes } from '../../src/domain/events/types.ts'
import { createTestApp } from '../support/app.ts'
import { filesOf } from '../support/documents.ts'
import { freePort } from '../support/free-port.ts'

const app = await createTestApp()
const folder = mkdtempSync(join(tmpdir(), 'guides-'))
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await app[Symbol.asyncDispose]()
})

const names = readdirSync('docs/guides').map((file) => file.replace(/\.md$/, ''))
const pages = [...names, 'changelog']
const guide = (name: string) => readFileSync(`docs/guides/${name}.md`, 'utf8')

/** Writes a guide's example to a file and returns its path: what a reader copies is what is tested. */
function example(name: string, file: string): string {
  const code = filesOf(guide(name))[file]
  if (code === undefined) throw new Error(`${name}.md has no example ${file}`)
  const path = join(folder, file)
  writeFileSync(path, code)
  return path
}

describe('the guides', () => {
  test.each(pages)('%s is a page and Markdown, with the address of this service', async (name) => {
    const page = await app.request(`GET /docs/guides/${name}`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/)
    const { text } = await app.request(`GET /docs/guides/${name}.md`)
    expect([text.startsWith('# '), text.includes('api.example.com')]).toEqual([true, false])
    expect(page.text).not.toContain('api.example.com')
  })

  test('have no dead link among our own pages', async () => {
    const all = ['/docs/guides/', ...pages.map((name) => `/docs/guides/${name}`)]
    const texts = await Promise.all(all.map(async (page) => (await app.request(`GET ${page}`)).text))
    const targets = texts.flatMap((text) => [...text.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href))
    const ours = targets.map((href) => href.replace(app.base, '')).filter((href) => href.startsWith('/'))
    for (const path of new Set(ours.filter((href) => !href.startsWith('/console/')))) {
      expect((await app.request(`GET ${path}`)).status, path).toBeLessThan(400)
    }
  })

  test('have their examples beside them, with the address of this service', async () => {
    const files = names.flatMap((name) => Object.entries(filesOf(guide(name))))
    expect(files.map(([file]) => file)).toEqual(expect.arrayContaining(['receiver.mjs', 'signed-call.mjs']))
    expect(new Set(files.map(([file]) => file)).size).toBe(files.length)
    for (const [file, code] of files) {
      const { text, headers } = await app.request(`GET /docs/guides/${file}`)
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(text).toBe(code.replaceAll('https://api.example.com', app.base))
    }
  })

  test('let nobody who pastes them send something to a foreign host', () => {
    const blocks = names.flatMap((name) => [...guide(name).matchAll(/^```\w+.*\n([\s\S]*?)^```$/gm)])
    const addresses = blocks.flatMap(([, code = '']) => code.match(/https?:(\/\/|%2F%2F)[^\s"'`/%?{]+/g) ?? [])
    expect(new Set(addresses.map((address) => address.replaceAll('%2F', '/').replace('%3A', ':')))).toEqual(
      new Set(['https://api.example.com', 'http://127.0.0.1:4000', 'http://127.0.0.1:$', 'https://app.example.org']),
    )
  })

  test('llms.txt leads to every guide and to the document', async () => {
    const { text, headers } = await app.request('GET /llms.txt')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    for (const name of pages) expect(text).toContain(`${app.base}/docs/guides/${name}.md`)
    expect(text).toContain(`${app.base}/openapi.json`)
  })

  test('have every error code with its cause and remedy, at an anchor of its name', async () => {
    const rows = Object.entries(problems).map(
      ([code, { status, cause, remedy }]) => `| <a id="${code}"></a>\`${code}\` | ${status} | ${cause} | ${remedy} |\n`,
    )
    const table = /(?<=^\| Code .*\n.*\n)(\|.*\n)+/m
    // npx vitest run console/guides -u writes the table anew
    await expect(guide('errors').replace(table, rows.join(''))).toMatchFileSnapshot('../../docs/guides/errors.md')
    const { text } = await app.request('GET /docs/guides/errors')
    for (const code of Object.keys(problems)) expect(text).toContain(`<a id="${code}"></a>`)
  })

  test('name every scope and event type', () => {
    const missing = (words: readonly string[], text: string) => words.filter((word) => !text.includes(`\`${word}\``))
    expect(missing(scopes, guide('authentication'))).toEqual([])
    expect(missing(subscribableTypes, guide('webhooks'))).toEqual([])
  })
})

const secret = `whsec_${Buffer.from('a key of thirty-two bytes, or so').toString('base64')}`
const body = '{"id":"evt_1","data":{"content":"Grüße, 世界"}}'

function deliver(at = new Date()) {
  const timestamp = Math.floor(at.getTime() / 1000)
  const signature = new Webhook(secret).sign('evt_1', at, body)
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
}

const good = deliver()
const cases: [name: string, headers: Record<string, string>, isRight: boolean][] = [
  ['right', good, true],
  ['one of two', { ...good, 'webhook-signature': `v1,AAAA ${good['webhook-signature']}` }, true],
  ['wrong', { ...good, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` }, false],
  ['of another event', { ...good, 'webhook-id': 'evt_2' }, false],
  ['old', deliver(new Date(Date.now() - 600_000)), false],
  ['without a time', { ...good, 'webhook-timestamp': '' }, false],
  ['missing', { 'webhook-id': 'evt_1', 'webhook-timestamp': good['webhook-timestamp'] }, false],
]
const expected = cases.map(([, , isRight]) => isRight)
const input = JSON.stringify({ secret, body, cases: cases.map(([, headers]) => headers) })
const isThere = (command: string, ...args: string[]) => spawnSync(command, args).status === 0

describe('what the guide to webhooks shows verifies deliveries', () => {
  test('in TypeScript', async () => {
    const { isAuthentic } = await import(pathToFileURL(example('webhooks', 'verify.ts')).href)
    expect(cases.map(([, headers]) => isAuthentic(secret, headers, body))).toEqual(expected)
  })

  test.skipIf(!isThere('python3', '--version'))('in Python', () => {
    example('webhooks', 'verify.py')
    const script = `import json, sys; from verify import is_authentic; given = json.load(sys.stdin)
print(json.dumps([is_authentic(given["secret"], headers, given["body"].encode()) for headers in given["cases"]]))`
    expect(JSON.parse(execFileSync('python3', ['-c', script], { cwd: folder, input, encoding: 'utf8' }))).toEqual(
      expected,
    )
  })

  test('in TypeScript with WebCrypto', async () => {
    const { isAuthentic } = await import(pathToFileURL(example('webhooks', 'verify-webcrypto.ts')).href)
    const bytes = new TextEncoder().encode(body).buffer
    const found = cases.map(([, headers]) => isAuthentic(secret, new Headers(headers), bytes))
    expect(await Promise.all(found)).toEqual(expected)
  })

  test.skipIf(!isThere('java', '--version'))('in Java', { timeout: 120_000 }, () => {
    const code = readFileSync(example('webhooks', 'Verify.java'), 'utf8')
    const main = `
public final class Main {
  public static void main(String[] words) throws Exception {
    for (int i = 2; i < words.length; i += 3) {
      Map<String, String> headers = new java.util.HashMap<>();
      String[] names = {"webhook-id", "webhook-timestamp", "webhook-signature"};
      for (int j = 0; j < 3; j++) if (!words[i + j].isEmpty()) headers.put(names[j], words[i + j]);
      System.out.print(Verify.isAuthentic(words[0], headers, words[1].getBytes(StandardCharsets.UTF_8)) + " ");
    }
  }
}`
    const [imports = '', rest = ''] = code.split(/(?=^final class)/m)
    const path = join(folder, 'Main.java')
    writeFileSync(path, `${imports}${main.trim()}\n${rest}`)
    const words = cases.flatMap(([, headers]) =>
      ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`] ?? ''),
    )
    const printed = execFileSync('java', ['-Dfile.encoding=UTF-8', path, secret, body, ...words], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
    expect(
      printed
        .trim()
        .split(' ')
        .map((word) => word === 'true'),
    ).toEqual(expected)
  })

  test.skipIf(!isThere('php', '--version'))('in PHP', () => {
    const path = example('webhooks', 'verify.php')
    const script = `require '${path}'; $given = json_decode(file_get_contents('php://stdin'), true);
echo json_encode(array_map(fn ($headers) => is_authentic($given['secret'], $headers, $given['body']), $given['cases']));`
    expect(JSON.parse(execFileSync('php', ['-r', script], { input, encoding: 'utf8' }))).toEqual(expected)
  })

  test.skipIf(!isThere('go', 'version'))('in Go', { timeout: 120_000 }, () => {
    const code = readFileSync(example('webhooks', 'verify.go'), 'utf8').replace('package webhooks', 'package main')
    const main = `
type given struct { Secret, Body string; Cases []map[string]string }
func main() {
	var in given
	json.NewDecoder(os.Stdin).Decode(&in)
	out := []bool{}
	for _, fields := range in.Cases {
		header := http.Header{}
		for name, value := range fields { header.Set(name, value) }
		out = append(out, IsAuthentic(in.Secret, header, []byte(in.Body)))
	}
	json.NewEncoder(os.Stdout).Encode(out)
}`
    writeFileSync(join(folder, 'main.go'), code.replace('import (', 'import (\n\t"encoding/json"\n\t"os"') + main)
    rmSync(join(folder, 'verify.go'))
    expect(JSON.parse(execFileSync('go', ['run', 'main.go'], { cwd: folder, input, encoding: 'utf8' }))).toEqual(
      expected,
    )
  })
})

test('the receiver of the quick start tells right deliveries from wrong ones, and prints what was signed', async () => {
  const port = await freePort()
  const env = { ...process.env, WEBHOOK_SECRET: secret }
  const linesOf = (headers: Record<string, string>) =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')
  const receiver = spawn(process.execPath, [example('quick-start', 'receiver.mjs'), String(port)], { env })
  let printed = ''
  receiver.stdout.on('data', (chunk) => {
    printed += chunk
  })
  try {
    await once(receiver.stdout, 'data')
    const post = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers, body }).then(({ status }) => status)
    for (const [name, headers, isRight] of cases)
      expect([name, await post(headers)]).toEqual([name, isRight ? 204 : 401])
    const shown = printed.split('\n\n').filter((delivery) => delivery.startsWith('verified'))
    expect(shown[0]).toBe(`verified\n${linesOf(good)}\n${body}`)
  } finally {
    receiver.kill()
    await once(receiver, 'exit')
  }
})

test('an application signs and binds its tokens as the guide shows', async () => {
  const run = (file: string, env = {}) =>
    promisify(execFile)(process.execPath, [example('dpop', file)], { cwd: folder, env: { ...process.env, ...env } })
  const jwks = JSON.parse((await run('make-keys.mjs')).stdout)
  const owner = { ...app.context, principal: { kind: 'operator' as const } }
  const registered = { name: 'Signing job', confidential: true, jwks, dpop_bound: true }
  const { id } = await createApplication(owner, registered)
  expect((await run('signed-call.mjs', { API: app.base, CLIENT_ID: id })).stdout).toBe('200\n')
})

test('the walk of the guide to paging gives every item once', async () => {
  for (const name of ['ada', 'bob', 'cal', 'dan', 'eve']) await app.user(name)
  const env = { ...process.env, API_KEY: await app.token(['channel:read']) }
  const words = [example('paging', 'pages.mjs'), `${app.base}/v1/channels/?limit=2`]
  const { stdout } = await promisify(execFile)(process.execPath, words, { env })
  expect(stdout.trim().split('\n')).toEqual(['ada', 'bob', 'cal', 'dan', 'eve'])
})
