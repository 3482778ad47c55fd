import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { curlOf } from '../../src/client/console/developer/deliveries/curl.ts'
import { readFilters } from '../../src/client/console/developer/deliveries/ledger-filters.ts'
import { Renewal } from '../../src/client/console/developer/deliveries/renewal.ts'

describe('what is shown live', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is renewed at once, then at most once a second, and in the end once more: ten messages make few calls', async () => {
    let calls = 0
    const renewal = new Renewal(async () => {
      calls++
    })
    for (let n = 0; n < 10; n++) {
      renewal.ask()
      await vi.advanceTimersByTimeAsync(300)
    }
    expect(calls).toBeLessThanOrEqual(4)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(calls, 'the last change is shown').toBeLessThanOrEqual(5)
    const settled = calls
    await vi.advanceTimersByTimeAsync(60_000)
    expect(calls).toBe(settled)
  })

  test('is not renewed while a renewal is under way, also when that fails, and not after the page is left', async () => {
    let calls = 0
    let end = () => {}
    const renewal = new Renewal(() => {
      calls++
      return new Promise<void>((_, reject) => {
        end = () => reject(new Error('away'))
      })
    })
    renewal.ask()
    renewal.ask()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(calls).toBe(1)
    end()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(calls).toBe(2)
    renewal.ask()
    end()
    await vi.advanceTimersByTimeAsync(0)
    renewal.stop()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(calls).toBe(2)
  })
})

test('a request as a command of curl says the same to a shell, whatever it holds', () => {
  const body = `{"content":"it's \\"quoted\\" $HOME \`id\` \\\\ 🙈"}`
  const head = "POST https://example.com/a?b=%20[1]\nhost: example.com\nwebhook-id: evt_'x'\ncontent-length: 9"
  const echo = curlOf(head, body).replace(/^curl/, "printf '%s\\n'")
  const said = execFileSync('/bin/sh', ['-c', echo], { encoding: 'utf8' }).trimEnd().split('\n')
  expect(said).toEqual([
    '--globoff',
    'https://example.com/a?b=%20[1]',
    '-H',
    "webhook-id: evt_'x'",
    '--data-binary',
    body,
  ])
})

test('filters of an address: what is not valid is left out, and an identifier says what it names', () => {
  const read = (text: string) => readFilters(new URLSearchParams(text))
  expect(read('id=msg_1&status=5xx&outcome=failed&text= hi ')).toEqual({
    message: 'msg_1',
    status: '5xx',
    outcome: 'failed',
    text: 'hi',
  })
  expect(read('id=evt_1&status=boo&outcome=x&from=never&application=cli_1')).toEqual({
    event: 'evt_1',
    application_id: 'cli_1',
  })
})
