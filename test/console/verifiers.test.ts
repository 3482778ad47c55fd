import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { writeExample } from './support/guide.ts'

const temporary = temporaryFolder()
const folder = temporary.path
afterAll(() => temporary[Symbol.dispose]())
const example = (file: string, name = 'webhooks') => writeExample(folder, name, file)

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
  ['of a time in milliseconds', { ...good, 'webhook-timestamp': `${good['webhook-timestamp']}000` }, false],
  ['of a time without end', { ...good, 'webhook-timestamp': '9'.repeat(5_000) }, false],
  ['of a time in digits that are none', { ...good, 'webhook-timestamp': '²' }, false],
  ['not base64', { ...good, 'webhook-signature': 'v1,é%%' }, false],
  ['missing', { 'webhook-id': 'evt_1', 'webhook-timestamp': good['webhook-timestamp'] }, false],
]
const expected = cases.map(([, , isRight]) => isRight)
const input = JSON.stringify({ secret, body, cases: cases.map(([, headers]) => headers) })
/** For those that read no JSON: of each case the three headers, empty where one is missing. */
const words = cases.flatMap(([, headers]) =>
  ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`] ?? ''),
)
const isThere = (command: string, ...args: string[]) => spawnSync(command, args).status === 0
const env = { ...process.env, LC_ALL: 'C.UTF-8' }
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: folder, input, encoding: 'utf8', env })
/** What a program prints of each case. */
const judged = (printed: string) =>
  printed
    .trim()
    .split(' ')
    .map((word) => word.toLowerCase() === 'true')

describe('what the guide to webhooks shows verifies deliveries', { timeout: 120_000 }, () => {
  test('in TypeScript', async () => {
    const { isAuthentic } = await import(pathToFileURL(example('verify.ts')).href)
    expect(cases.map(([, headers]) => isAuthentic(secret, headers, body))).toEqual(expected)
  })

  test('in TypeScript with WebCrypto', async () => {
    const { isAuthentic } = await import(pathToFileURL(example('verify-webcrypto.ts')).href)
    const bytes = new TextEncoder().encode(body).buffer
    const found = cases.map(([, headers]) => isAuthentic(secret, new Headers(headers), bytes))
    expect(await Promise.all(found)).toEqual(expected)
  })

  test.skipIf(!isThere('python3', '--version'))('in Python', () => {
    example('verify.py')
    const script = `import json, sys; from verify import is_authentic; given = json.load(sys.stdin)
print(json.dumps([is_authentic(given["secret"], headers, given["body"].encode()) for headers in given["cases"]]))`
    expect(JSON.parse(run('python3', '-c', script))).toEqual(expected)
  })

  test.skipIf(!isThere('ruby', '--version'))('in Ruby', () => {
    example('verify.rb')
    const script = `require "json"; require "./verify"; given = JSON.parse($stdin.read)
print JSON.dump(given["cases"].map { |headers| authentic?(given["secret"], headers, given["body"]) })`
    expect(JSON.parse(run('ruby', '-e', script))).toEqual(expected)
  })

  test.skipIf(!isThere('php', '--version'))('in PHP', () => {
    const script = `require '${example('verify.php')}'; $given = json_decode(file_get_contents('php://stdin'), true);
echo json_encode(array_map(fn ($headers) => is_authentic($given['secret'], $headers, $given['body']), $given['cases']));`
    expect(JSON.parse(run('php', '-r', script))).toEqual(expected)
  })

  test.skipIf(!isThere('java', '--version'))('in Java', () => {
    const code = readFileSync(example('Verify.java'), 'utf8')
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
    writeFileSync(join(folder, 'Main.java'), `${imports}${main.trim()}\n${rest}`)
    expect(judged(run('java', '-Dfile.encoding=UTF-8', 'Main.java', secret, body, ...words))).toEqual(expected)
  })

  test.skipIf(!isThere('mcs', '--version') || !isThere('mono', '--version'))('in C#', () => {
    example('Verify.cs')
    const main = `
public static class Program
{
    public static void Main(string[] words)
    {
        string[] names = { "webhook-id", "webhook-timestamp", "webhook-signature" };
        for (int i = 2; i < words.Length; i += 3)
        {
            var headers = new System.Collections.Generic.Dictionary<string, string>();
            for (int j = 0; j < 3; j++) if (words[i + j] != "") headers[names[j]] = words[i + j];
            System.Console.Write(Verify.IsAuthentic(words[0], headers, System.Text.Encoding.UTF8.GetBytes(words[1])) + " ");
        }
    }
}`
    writeFileSync(join(folder, 'Program.cs'), main)
    run('mcs', '-langversion:latest', '-out:verify.exe', 'Verify.cs', 'Program.cs')
    expect(judged(run('mono', 'verify.exe', secret, body, ...words))).toEqual(expected)
  })

  test.skipIf(!isThere('go', 'version'))('in Go', () => {
    const code = readFileSync(example('verify.go'), 'utf8').replace('package webhooks', 'package main')
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
    expect(JSON.parse(run('go', 'run', 'main.go'))).toEqual(expected)
  })
})

test('the receiver of the quick start tells right deliveries from wrong ones, and prints what was signed', async () => {
  const port = await freePort()
  const linesOf = (headers: Record<string, string>) =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')
  const receiver = spawn(process.execPath, [example('receiver.mjs', 'quick-start'), String(port)], {
    env: { ...process.env, WEBHOOK_SECRET: secret },
  })
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
