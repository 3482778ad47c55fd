import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { isWebAddress, parseUrl, uriOf } from '../../src/domain/core/url.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const token = await app.token(['webhook:write'])
const subscribe = async (url: string) => {
  const body = { url, event_types: ['chat.message.sent'] }
  const answer = await app.request('POST /v1/events/subscriptions', { token, body })
  return answer.status === 201 ? answer.body.data.url : `${answer.body.error.code} ${answer.body.error.message}`
}

describe('the url of a subscription is a URI (RFC 3986), as it came or percent-encoded, and shown so', () => {
  test.each([
    ['http:127.0.0.1', 'http://127.0.0.1/'],
    ['http:/127.0.0.1/x', 'http://127.0.0.1/x'],
    ['http:////127.0.0.1/x', 'http://127.0.0.1/x'],
  ])('%s has no authority, and is refused with what is meant', async (url, meant) => {
    const why = 'has no "//" and host behind its scheme'
    expect(await subscribe(url)).toBe(`invalid_url url ${why}: write it as ${meant}`)
    expect(await subscribe(meant)).toBe(meant)
  })

  test.each([
    ['http://127.0.0.1:9/<x>', 'http://127.0.0.1:9/%3Cx%3E'],
    ['https://bücher.example.com/straße?q=ä', 'https://xn--bcher-kva.example.com/stra%C3%9Fe?q=%C3%A4'],
    ['https://example.com/?a[]=1&b={x|y}^`', 'https://example.com/?a%5B%5D=1&b=%7Bx%7Cy%7D%5E%60'],
    ['https://example.com/100%', 'https://example.com/100%25'],
    ['https://example.com/%zz', 'https://example.com/%25zz'],
    ['https://example.com/"x"', 'https://example.com/%22x%22'],
    ['http://[::1]:9/[x]', 'http://[::1]:9/%5Bx%5D'],
    ['https://①②⑦.⓪.⓪.①/', 'https://127.0.0.1/'],
  ])('%s becomes %s', async (url, meant) => {
    expect(await subscribe(url)).toBe(meant)
    expect(await subscribe(meant)).toBe(meant)
  })

  test.each([
    'https://example.com',
    'HTTPS://EXAMPLE.com:443/A/../b/%7e?x=%20+y&z=1;2#'.replace('#', ''),
    "https://example.com/a:b@c/!$&'()*+,;=-._~?/?:@",
    'http://[::1]:9/x',
    'https://ex%61mple.com/',
    'https://example.com:/x',
  ])('%s is kept as it is', async (url) => {
    expect(await subscribe(url)).toBe(url)
  })

  test.each([
    ['https://a{b}.example.com/', 'has a host that no URI can have.'],
    ['https://example.com/a\u0085b', 'contains a control character, a space or a backslash.'],
    ['https://example.com/a\u00a0b', 'contains a control character, a space or a backslash.'],
    ['https://example.com/a\u3000b', 'contains a control character, a space or a backslash.'],
    ['https://a..example.com/', 'leads to a name that is not allowed.'],
    ['https://localhost../', 'leads to a name that is not allowed.'],
  ])('%j is refused', async (url, why) => {
    expect(await subscribe(url)).toBe(`invalid_url url ${why}`)
  })

  test('is read alike, however many were read before', () => {
    for (let n = 0; n < 20_000; n++) parseUrl('https://receiver.example.org/hook')
    expect(parseUrl('https://bücher.example/')?.hostname).toBe('xn--bcher-kva.example')
    expect(parseUrl('https://\u00df\u00a0.example/')).toBeUndefined()
  })

  test('one that is too long once it is percent-encoded is refused', async () => {
    const [fits, exceeds] = [338, 339].map((count) => `https://example.com/${'ä'.repeat(count)}`)
    expect(await subscribe(fits ?? '')).toHaveLength(2048)
    expect(await subscribe(exceeds ?? '')).toBe('invalid_url url is longer than 2048 characters.')
  })

  test('whatever a browser would mend becomes a URI that means the same', () => {
    const odd = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
    )
    fc.assert(
      fc.property(odd, odd, (path, query) => {
        const url = new URL(`https://example.com/${path.replaceAll('#', '')}?${query.replaceAll('#', '')}`)
        const uri = uriOf(url)
        expect(isWebAddress(uri), uri).toBe(true)
        expect(uriOf(new URL(uri))).toBe(uri)
      }),
      { numRuns: 2000 },
    )
  })

  test('nothing takes long to refuse', () => {
    for (const unit of ['a', '%41', ':', '@', '/', '?', '[', '1.', 'a:']) {
      const before = process.cpuUsage()
      expect(isWebAddress(`https://${unit.repeat(2048)}<`)).toBe(false)
      expect(process.cpuUsage(before).user).toBeLessThan(100_000)
    }
  })
})
