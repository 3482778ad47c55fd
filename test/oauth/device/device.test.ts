import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryCounters } from '../../../src/counters/counters.ts'
import { clients, deviceCodes, users } from '../../../src/db/schema/index.ts'
import { sha256 } from '../../../src/domain/core/digest.ts'
import { isTooSoon } from '../../../src/domain/oauth/device/polls.ts'
import { credentials, errorOf, warmUp } from '../../support/flows.ts'
import { createDeviceApp } from './support.ts'

let app: Awaited<ReturnType<typeof createDeviceApp>>
beforeAll(async () => {
  app = await createDeviceApp()
})
afterAll(() => app[Symbol.asyncDispose]())

test('D20 a device gets a code to ask with, and one to show, of letters that are not mistaken for each other', async () => {
  const fields = { scope: 'chat:read', ...credentials(app.client) }
  const multipart = new FormData()
  for (const [name, value] of Object.entries(fields)) multipart.append(name, value)
  for (const body of [new URLSearchParams(fields), fields, multipart]) {
    const reply = await app.request('POST /oauth/device_authorization', { body })
    const { device_code, user_code, ...rest } = reply.body
    expect(rest).toEqual({
      verification_uri: `${app.base}/device`,
      verification_uri_complete: `${app.base}/device?user_code=${user_code}`,
      expires_in: 600,
      interval: 5,
    })
    expect(device_code).toMatch(/^lsdc_[0-9A-Za-z]{49}$/)
    expect(user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(reply.headers.get('cache-control')).toBe('no-store')
  }
})

test('D20 neither code is stored, and the one that is shown not even as a plain hash', async () => {
  const { device_code, user_code } = await app.begin()
  const [row] = await app.context.db
    .select()
    .from(deviceCodes)
    .where(eq(deviceCodes.hash, sha256(device_code)))
  expect(row?.userCodeHash).not.toEqual(sha256(user_code.replace('-', '')))
  expect(JSON.stringify(row)).not.toContain(user_code)
})

test('D21 the client authenticates, is registered for the grant, and asks for its own scopes', async () => {
  expect(errorOf(await app.ask({ scope: 'chat:read' }))).toBe('401 invalid_client')
  expect(errorOf(await app.ask({ client_id: app.client.id }))).toBe('401 invalid_client')
  expect(errorOf(await app.ask({ ...credentials(app.client), scope: 'no:such' }))).toBe('400 invalid_scope')
  const other = await app.newClient({ isConfidential: false })
  await app.context.db
    .update(clients)
    .set({ grantTypes: ['refresh_token'] })
    .where(eq(clients.id, other.id))
  expect(errorOf(await app.ask(credentials(other)))).toBe('400 unauthorized_client')
  const { body } = await app.ask({ ...credentials(app.client), scope: 'no:such' }, '?error_format=rfc6749')
  expect(body).toEqual({ error: 'invalid_scope', error_description: expect.any(String) })
})

test('D22 a device waits until its user has allowed it, gets tokens once, and refreshes them', async () => {
  const device = await app.begin()
  expect(errorOf(await app.poll(device))).toBe('400 authorization_pending')
  const done = await app.answer(await app.loggedIn(), device, 'allow')
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('Your device is connected')])
  const { status, body } = await app.poll(device)
  expect([status, body.scope]).toEqual([200, 'user:read chat:read'])
  expect(await app.statusOf(body.access_token)).toBe(200)
  expect(errorOf(await app.poll(device))).toBe('400 invalid_grant')
  expect((await app.refresh(body.refresh_token, app.native)).status).toBe(200)
})

test('D22 of twenty questions at once one gets the tokens', async () => {
  const device = await app.begin()
  await app.answer(await app.loggedIn(), device, 'allow')
  await warmUp(app.context)
  const replies = await Promise.all(Array.from({ length: 20 }, () => app.poll(device)))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(400)])
})

test('D23 a denial, an end after ten minutes, and what is unknown are told apart', async () => {
  const denied = await app.begin()
  await app.answer(await app.loggedIn(), denied, 'deny')
  expect(errorOf(await app.poll(denied))).toBe('400 access_denied')
  const device = await app.begin()
  expect(errorOf(await app.poll(device, app.client))).toBe('400 invalid_grant')
  expect(errorOf(await app.poll({ ...device, device_code: 'x' }))).toBe('400 invalid_grant')
  await app.elapse(deviceCodes, 'expiresAt', 600_000)
  expect(errorOf(await app.poll(device))).toBe('400 expired_token')
  expect((await app.enter(await app.loggedIn(), device.user_code)).status).toBe(400)
})

test('D23 a user who was disabled meanwhile gets nothing', async () => {
  const device = await app.begin()
  await app.answer(await app.loggedIn(), device, 'allow')
  const { db } = app.context
  await db.update(users).set({ disabledAt: new Date() }).where(eq(users.id, app.grace.id))
  expect(errorOf(await app.poll(device))).toBe('400 invalid_grant')
  await db.update(users).set({ disabledAt: null }).where(eq(users.id, app.grace.id))
})

test('D24 whoever asks too soon waits five seconds longer each time, for good', async () => {
  await using strict = await createDeviceApp({ counters: memoryCounters() })
  const device = await strict.begin()
  expect(errorOf(await strict.poll(device))).toBe('400 authorization_pending')
  for (let n = 0; n < 3; n++) expect(errorOf(await strict.poll(device))).toBe('400 slow_down')
  await strict.answer(await strict.loggedIn(), device, 'allow')
  expect((await strict.poll(device)).status).toBe(200)
})

test('D24 the interval after so many hastes', async () => {
  const windows: number[] = []
  const counters = memoryCounters()
  const noting: typeof counters = {
    ...counters,
    take: (limit, key) => {
      if (limit.name.startsWith('device-poll')) windows.push(limit.windowS)
      return counters.take(limit, key)
    },
  }
  for (let n = 0; n < 4; n++) await isTooSoon({ counters: noting }, Buffer.from('a device'))
  expect([...new Set(windows)]).toEqual([4, 9, 14, 19]) // a second less, for the network
})

test('D25 devices that wait write nothing', async () => {
  const devices = await Promise.all(Array.from({ length: 20 }, () => app.begin()))
  const written: string[] = []
  const { db } = app.context
  const { client } = db._.session as unknown as { client: { unsafe: (text: string, ...rest: unknown[]) => unknown } }
  const unsafe = client.unsafe.bind(client)
  client.unsafe = (text, ...rest) => {
    if (!/^\s*select/i.test(text)) written.push(text)
    return unsafe(text, ...rest)
  }
  for (const device of devices) expect(errorOf(await app.poll(device))).toBe('400 authorization_pending')
  client.unsafe = unsafe
  expect(written).toEqual([])
})
