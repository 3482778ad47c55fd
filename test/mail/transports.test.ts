import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { OutgoingMail } from '../../src/domain/core/context.ts'
import { openMailTransport } from '../../src/mail/mail-transport.ts'
import { temporaryFolder } from '../support/folder.ts'
import { createMailServer, decoded } from './mail-server.ts'

const mail = (changes: Partial<OutgoingMail> = {}): OutgoingMail => ({
  id: 'mai_1',
  to: 'ada@example.org',
  at: new Date('2026-01-02T03:04:05.678Z'),
  text: {
    subject: 'Confirm your address',
    paragraphs: ['Somebody <b>said</b> so & so.'],
    link: { words: 'Confirm', path: '/verify?token=abc' },
    settings: { words: 'Switch this off', path: '/console/account/notifications' },
  },
  ...changes,
})
const settings = (given: Record<string, string>) => readConfig({ PUBLIC_URL: 'https://developers.example', ...given })

afterEach(() => vi.restoreAllMocks())

test('a mail goes to one receiver, with plain text, markup without pictures, and links to PUBLIC_URL alone', async () => {
  await using server = await createMailServer()
  await using transport = openMailTransport(settings({ SMTP_URL: server.url, MAIL_FROM: 'Live <live@example.net>' }))
  await transport.send(mail())
  const [{ from, to, raw } = { from: '', to: [], raw: '' }] = server.received
  expect({ from, to }).toEqual({ from: 'live@example.net', to: ['ada@example.org'] })
  expect(raw).toContain('From: Live <live@example.net>')
  expect(raw).toContain('Message-ID: <mai_1@example.net>')
  expect(raw).toContain('Date: Fri, 02 Jan 2026 03:04:05 +0000')
  const text = decoded(raw)
  expect(text).toContain('Confirm:\r\nhttps://developers.example/verify?token=abc')
  expect(text).toContain('<p>Somebody &lt;b&gt;said&lt;/b&gt; so &amp; so.</p>')
  expect(text).toContain('<a href="https://developers.example/verify?token=abc">')
  expect(text).toContain('Switch this off:\r\nhttps://developers.example/console/account/notifications')
  expect(text).toContain('<a href="https://developers.example/console/account/notifications">Switch this off</a>')
  expect(text.match(/https?:\/\/[^/"<\s]+/g)?.every((link) => link === 'https://developers.example')).toBe(true)
  expect(text).not.toMatch(/<img|https?:[^"]*\.gif/)
})

test.each([
  ['a line in a subject', { text: { subject: 'Hi\r\nBcc: eve@evil.example', paragraphs: ['x\r\n.\r\nRSET'] } }],
  ['a line in an address', { to: 'ada@example.org\r\nBcc: eve@evil.example' }],
  ['a second address', { to: 'ada@example.org, eve@evil.example' }],
  ['a name around an address', { to: 'eve@evil.example <ada@example.org>' }],
])('%s adds neither a receiver nor a header', async (_, changes) => {
  await using server = await createMailServer()
  await using transport = openMailTransport(settings({ SMTP_URL: server.url, MAIL_FROM: 'live@example.net' }))
  await transport.send(mail(changes)).catch(() => {})
  for (const { to, raw } of server.received) {
    expect(to).toEqual(['ada@example.org'])
    expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toMatch(/^(bcc|cc):/im)
  }
})

test('a server that refuses, or is not there, makes the sending fail', async () => {
  await using transport = openMailTransport(settings({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'live@example.net' }))
  await expect(transport.send(mail())).rejects.toThrow()
})

test('without SMTP_URL a mail is a file for its owner alone, and standard error says how to read it, without its link', async () => {
  using folder = temporaryFolder()
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const { dataDir, ...config } = settings({ DATA_DIR: join(folder.path, 'data') })
  await using transport = openMailTransport({ ...config, dataDir })
  await transport.send(mail())
  const [name = ''] = readdirSync(join(dataDir, 'mail'))
  const file = join(dataDir, 'mail', name)
  expect(name).toBe('2026-01-02T030405.678Z-mai_1.eml')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain('To: ada@example.org')
  expect(told.mock.calls.map(([line]) => line)).toEqual([
    `Mail "Confirm your address": ${file}\n  To read it, and open its link in a browser: cat '${file}'\n`,
  ])
})

test('a mail in a file is read as it lies there: a long link and other alphabets stand in it unchanged', async () => {
  using folder = temporaryFolder()
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const config = settings({ DATA_DIR: join(folder.path, 'data') })
  await using transport = openMailTransport(config)
  const path: `/${string}` = `/verify?token=${'lsvt_'.padEnd(120, 'a=b')}&next=/console`
  const paragraphs = [`Ada’s application “Ünï” ${'has a long sentence '.repeat(8)}.`]
  await transport.send(mail({ text: { subject: 'Confirm', paragraphs, link: { words: 'Confirm', path } } }))
  const [name = ''] = readdirSync(join(config.dataDir, 'mail'))
  const lines = readFileSync(join(config.dataDir, 'mail', name), 'utf8').split('\n')
  expect(lines).toContain(`https://developers.example${path}`)
  expect(lines).toContain(paragraphs[0])
  expect(lines.filter((line) => line.startsWith('Content-Transfer-Encoding'))).toEqual(
    Array(2).fill('Content-Transfer-Encoding: 8bit'),
  )
})
