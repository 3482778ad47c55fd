import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import express from 'express'
import { afterAll, describe, expect, test } from 'vitest'
import { overlayPages } from '../../src/rest/pages/overlay.ts'
import { createTestApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'

const folder = temporaryFolder()
mkdirSync(join(folder.path, 'assets'))
writeFileSync(join(folder.path, 'index.html'), '<!doctype html><title>Chat overlay</title>')
writeFileSync(join(folder.path, 'assets/index-1a2b3c.js'), 'hello()')

const server = createServer(express().use('/overlay/chat', overlayPages(folder.path)))
await once(server.listen(0, '127.0.0.1'), 'listening')
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const get = (path: string) => fetch(base + path, { redirect: 'manual' })
afterAll(() => {
  server.close()
  server.closeAllConnections()
  folder[Symbol.dispose]()
})

describe('the page of an overlay', () => {
  test('is the same whatever its address holds, and repeats nothing of it', async () => {
    const strange = '"><script>alert(1)</script>'
    for (const search of ['', '?key=lsok_hunter2', `?${new URLSearchParams({ key: strange, preview: strange })}`]) {
      for (const path of ['/overlay/chat', '/overlay/chat/']) {
        const answer = await get(path + search)
        expect([answer.status, await answer.text()]).toEqual([200, '<!doctype html><title>Chat overlay</title>'])
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      }
    }
  })

  test('tells nobody its address, is kept by nobody, and runs and loads nothing but what is ours', async () => {
    const { headers } = await get('/overlay/chat?key=x')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    const policy = Object.fromEntries(
      (headers.get('content-security-policy') ?? '').split('; ').map((rule) => {
        const [name = '', ...sources] = rule.split(' ')
        return [name, sources.join(' ')]
      }),
    )
    expect(policy).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self' 'unsafe-inline'",
      'img-src': 'data:',
      'connect-src': "'self'",
      'form-action': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'self'",
    })
  })

  test('has its files below it, and nothing else is there', async () => {
    const script = await get('/overlay/chat/assets/index-1a2b3c.js')
    expect([script.status, await script.text()]).toEqual([200, 'hello()'])
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    for (const path of ['/assets/gone.js', '/assets/../index.html', '/assets/..%2findex.html', '/index.html', '/x']) {
      expect((await get(`/overlay/chat${path}`)).status, path).not.toBe(200)
    }
  })
})

test('below /overlay there is nothing else', async () => {
  await using app = await createTestApp()
  for (const path of ['/overlay', '/overlay/', '/overlay/x', '/overlay/chat/x', '/overlay/chats']) {
    expect((await app.request(`GET ${path}`)).body.error.code, path).toBe('not_found')
  }
})
