import { afterAll, beforeAll, expect, test } from 'vitest'
import { listOwnAudit } from '../../src/domain/accounts/audit-log.ts'
import { createKey, revokeKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication, deleteApplication } from '../../src/domain/applications/applications.ts'
import { listApplicationAudit } from '../../src/domain/applications/audit-log.ts'
import { rotateSecret } from '../../src/domain/applications/client-secrets.ts'
import { rollKey } from '../../src/domain/applications/roll-api-key.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { createdAtOf, newId } from '../../src/domain/core/ids.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { revokeAllowed } from '../../src/domain/oauth/allowed-applications.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { CALLBACK, caller, createOAuthApp, type OAuthApp } from '../support/flows.ts'

let app: OAuthApp
let owner: UserContext
let ada: UserContext
beforeAll(async () => {
  app = await createOAuthApp()
  owner = as(await app.user('owner'), '192.0.2.1')
  ada = as(app.ada, '192.0.2.2')
})
afterAll(() => app[Symbol.asyncDispose]())

const as = ({ id, username }: { id: string; username: string }, address: string) => ({
  ...app.context,
  caller: caller({ address, userAgent: `the browser of ${username}` }),
  principal: { kind: 'user' as const, userId: id, username, clientId: null, scopes },
})
const newApplication = () =>
  createApplication(owner, { name: 'Audited', confidential: true, redirect_uris: [CALLBACK] })
const all = { limit: 100 }

test('an identifier says when it was made', () => {
  const at = new Date('2026-01-02T03:04:05.678Z')
  expect(createdAtOf(newId('audit', at))).toEqual(at)
})

test('the owner of an application sees what was done to its credentials, newest first, and no secret', async () => {
  const { id, client_secret } = await newApplication()
  const rotated = await rotateSecret(owner, { id })
  const key = await createKey(owner, { application_id: id, name: 'Key' })
  const rolled = await rollKey(owner, { id: key.id })
  await revokeKey(owner, { id: rolled.id })

  const { items, next } = await listApplicationAudit(owner, { application_id: id, ...all })
  expect(next).toBeNull()
  expect(items.map(({ action }) => action)).toEqual([
    'key.revoked',
    'key.rolled',
    'key.created',
    'secret.created',
    'secret.created',
    'application.created',
  ])
  const { userId } = owner.principal
  const from = { actor_type: 'user', actor_id: userId, ip: '192.0.2.1', user_agent: 'the browser of owner' }
  expect(items[1]).toMatchObject({ ...from, target_id: key.id, details: { replaced_by: rolled.id } })
  for (const secret of [client_secret, rotated.client_secret, key.key, rolled.key]) {
    expect(JSON.stringify(items)).not.toContain(secret)
  }
})

test('things and people are called by their names, and addresses by their hosts, for as long as there are such', async () => {
  const { id } = await newApplication()
  await createKey(owner, { application_id: id, name: 'Laptop' })
  const names = async () => (await listApplicationAudit(owner, { application_id: id, ...all })).items[0]
  expect(await names()).toMatchObject({ actor_name: 'owner', application_name: 'Audited', target_name: 'Laptop' })
  const url = 'https://example.com/hook?token=secret'
  const made = await createSubscriptionForApplication(owner, {
    application_id: id,
    url,
    event_types: ['channel.updated'],
  })
  expect(await names()).toMatchObject({ target_id: made.id, target_name: 'example.com' })
  await deleteApplication(owner, { id })
  const { items } = await listOwnAudit(owner, all)
  expect(items[0]).toMatchObject({ actor_name: 'owner', application_name: null, target_name: null })
})

test('what a user allowed is on both sides; from where, on the user’s alone', async () => {
  const { id, client_secret } = await newApplication()
  const client = { id, secret: client_secret ?? undefined }
  await app.newGrant(client, ['user:read'], app.ada)
  await revokeAllowed(ada, { application_id: id })

  const { items: own } = await listOwnAudit(ada, all)
  const mine = own.filter(({ application_id }) => application_id === id)
  expect(mine.map(({ action }) => action)).toEqual(['grant.revoked', 'grant.allowed'])
  expect(mine[0]).toMatchObject({ ip: '192.0.2.2', user_agent: 'the browser of ada', details: { reason: 'user' } })

  const { items } = await listApplicationAudit(owner, { application_id: id, ...all })
  expect(items.slice(0, 2)).toMatchObject(mine.map((record) => ({ ...record, ip: null, user_agent: null })))
})

test('nobody reads what is another’s', async () => {
  const { id } = await newApplication()
  const foreign = listApplicationAudit(ada, { application_id: id, ...all })
  await expect(foreign).rejects.toMatchObject({ code: 'not_found' })
  const { items } = await listOwnAudit(ada, all)
  expect(items.every(({ user_id }) => user_id === app.ada.id)).toBe(true)
})

test('a deletion stays in the record of whoever did it', async () => {
  const { id } = await newApplication()
  await deleteApplication(owner, { id })
  const { items } = await listOwnAudit(owner, all)
  expect(items[0]).toMatchObject({ action: 'application.deleted', target_id: id })
})

test('walking the pages yields everything once, also while more is written', async () => {
  const { id } = await newApplication()
  const created = []
  for (const name of ['a', 'b', 'c', 'd']) created.push((await createKey(owner, { application_id: id, name })).id)
  const targets: (string | null)[] = []
  let cursor: string | undefined
  do {
    const page = await listApplicationAudit(owner, { application_id: id, limit: 2, cursor })
    targets.push(...page.items.map(({ target_id }) => target_id))
    await createKey(owner, { application_id: id, name: 'later' })
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  expect(targets.slice(0, 4)).toEqual(created.toReversed())
  expect(targets).toHaveLength(6)
})
