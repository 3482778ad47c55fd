import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import express from 'express'
import { afterAll, describe, expect, test } from 'vitest'
import { consolePages } from '../../src/rest/pages/console.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
const folder = mkdtempSync(join(tmpdir(), 'console-'))
const script = 'console.log("hello")'
const page =
  '<html data-signup="__SIGNUP__"><script nonce="__CSP_NONCE__"></script><style nonce="__CSP_NONCE__"></style>'
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), page)
writeFileSync(join(folder, 'icon.svg'), '<svg/>')
writeFileSync(join(folder, 'assets/main-1a2b3c.js'), script)
writeFileSync(join(folder, 'assets/main-1a2b3c.js.gz'), gzipSync(script))

const server = createServer(express().use('/console', consolePages(app.context, folder)))
await once(server.listen(0, '127.0.0.1'), 'listening')
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const get = (path: string, init: RequestInit = {}) => fetch(base + path, { redirect: 'manual', ...init })
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
  await app[Symbol.asyncDispose]()
})

describe('the console is served', () => {
  test('with a nonce of its own on every answer, and a policy without unsafe-inline', async () => {
    const [one, other] = [await get('/console/'), await get('/console/')]
    const nonces = await Promise.all(
      [one, other].map(async (answer) => /nonce="([^"]+)"/.exec(await answer.text())?.[1]),
    )
    expect(nonces[0]).not.toBe(nonces[1])
    const policy = one.headers.get('content-security-policy') ?? ''
    expect(policy).toContain(`script-src 'self' 'nonce-${nonces[0]}'`)
    expect(policy).toContain(`style-src 'self' 'nonce-${nonces[0]}'`)
    expect(policy).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/)
    expect(policy).not.toMatch(/unsafe|\*/)
    expect(one.headers.get('cache-control')).toBe('no-store')
  })

  test('with the same page for every address below it, so that links lead deep', async () => {
    for (const path of [
      '/console?a=1',
      '/console/',
      '/console/developer/webhooks/sub_1?tab=2',
      '/console/no/such/page',
    ]) {
      const answer = await get(path)
      expect([answer.status, (await answer.text()).includes('data-signup="open"')], path).toEqual([200, true])
    }
  })

  test('with files that are kept for a year, packed for who takes that', async () => {
    const path = '/console/assets/main-1a2b3c.js'
    const packed = await get(path, { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(packed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(packed.headers.get('vary')).toBe('Accept-Encoding')
    expect(await packed.text()).toBe(script)
    const plain = await get(path, { headers: { 'accept-encoding': 'identity' } })
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, script])
    expect((await get('/console/icon.svg')).headers.get('content-type')).toBe('image/svg+xml')
  })

  test('without what is not there, and without leading out of its folder', async () => {
    expect((await get('/console/assets/gone-000.js')).status).toBe(404)
    for (const path of ['/console/..%2f..%2fpackage.json', '/console/assets/%2e%2e/%2e%2e/package.json']) {
      expect(await (await get(path)).text(), path).not.toContain('"dependencies"')
    }
  })
})
