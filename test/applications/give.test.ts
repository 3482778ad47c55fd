import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clients } from '../../src/db/schema/index.ts'
import { closeOwnAccount } from '../../src/domain/accounts/closing/close.ts'
import { reopenUser } from '../../src/domain/accounts/closing/reopen.ts'
import { keepLink, newLinkToken } from '../../src/domain/accounts/mail-links.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { listApplicationAudit } from '../../src/domain/applications/audit-log.ts'
import { getApplication } from '../../src/domain/applications/list.ts'
import { acceptInvitation } from '../../src/domain/applications/people/accept.ts'
import { giveApplication } from '../../src/domain/applications/people/give.ts'
import { invitePerson, offerTransfer } from '../../src/domain/applications/people/invite.ts'
import { removeMember } from '../../src/domain/applications/people/members.ts'
import { acceptTransfer } from '../../src/domain/applications/people/transfer.ts'
import { disableApplication, enableApplication } from '../../src/domain/applications/suspension.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import { createConsole } from '../cli/console.ts'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'
import { type Acting, confirmedPerson, invitationTo, reading } from './invited.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const emailOf = ({ principal }: Acting) => `${principal.username}@example.com`
const make = (owner: Acting) =>
  createApplication(owner, { name: 'Robbed', confidential: true, redirect_uris: ['https://a.example/cb'] })
async function newestMailTo(person: Acting) {
  while ((await sendDueMails(app.context)) > 0);
  return app.sentMails.findLast(({ to }) => to === emailOf(person))?.text
}
const statusOf = async (token: string) => (await app.request('GET /v1/channels/', { token })).status

test('whoever lost an application to a thief is told what to do, and the operator gives it back, without what the thief knows', async () => {
  const [owner, thief, friend] = [await confirmedPerson(app), await confirmedPerson(app), await confirmedPerson(app)]
  const { id } = await make(owner)
  await offerTransfer(owner, { application_id: id, email: emailOf(thief) }) // by a session of the owner's
  await acceptTransfer(thief, { token: await invitationTo(app, emailOf(thief)) })
  const told = await newestMailTo(owner)
  expect(told).toMatchObject({ subject: 'Your application has a new owner', link: { path: '/forgot' } })
  expect(told?.paragraphs.join(' ')).toMatch(
    /If it was not you.* new .* at once.* whoever runs this service.* give .* back/,
  )

  await removeMember(thief, { application_id: id, user_id: owner.principal.userId })
  const { key } = await createKey(thief, { application_id: id, name: 'Theirs', scopes: ['channel:read'] })
  await invitePerson(thief, { application_id: id, email: emailOf(friend), role: 'developer' })
  const invitation = await invitationTo(app, emailOf(friend))
  expect(await statusOf(key)).toBe(200)

  const given = await createConsole(app.context).answerOf('client', 'give', id, owner.principal.username.toUpperCase())
  expect(given).toEqual({ id, owner: owner.principal.username })
  expect(await getApplication(owner, { id })).toMatchObject({ role: 'owner' })
  await expect(getApplication(reading(thief), { id })).rejects.toMatchObject({ code: 'not_found' })
  expect(await statusOf(key)).toBe(401)
  await expect(acceptInvitation(friend, { token: invitation })).rejects.toMatchObject({ code: 'invalid_request' })
  expect((await newestMailTo(owner))?.paragraphs.join(' ')).toMatch(
    /given the application “Robbed” to you.*make new ones/,
  )
  expect((await newestMailTo(thief))?.subject).toBe('An application of yours has another owner')
  const { items } = await listApplicationAudit(owner, { application_id: id, limit: 20 })
  expect(items.find(({ action }) => action === 'application.given')).toMatchObject({
    actor_type: 'operator',
    details: { new_owner: owner.principal.username },
  })
})

test('a transfer is told at the address that was replaced lately as well: a thief changes it before they hand anything over', async () => {
  const [owner, thief] = [await confirmedPerson(app), await confirmedPerson(app)]
  const { userId } = owner.principal
  const before = `before_${emailOf(owner)}`
  await transact(app.context, (tx) => keepLink(tx, newLinkToken(), { purpose: 'restore', userId, address: before }))
  const { id } = await make(owner)
  await offerTransfer(owner, { application_id: id, email: emailOf(thief) })
  await acceptTransfer(thief, { token: await invitationTo(app, emailOf(thief)) })
  expect((await newestMailTo(owner))?.subject).toBe('Your application has a new owner')
  expect(app.sentMails.filter(({ to }) => to === before).map(({ text }) => text.subject)).toEqual([
    'Your application has a new owner',
  ])
})

test('it is given to an account that is open, has room, and does not own it', async () => {
  const [owner, full] = [await confirmedPerson(app), await confirmedPerson(app)]
  const { id } = await make(owner)
  const give = (username: string, of = id) => giveApplication(app.context, { id: of, username })
  await expect(give('nobody_at_all')).rejects.toMatchObject({ code: 'user_not_found' })
  await expect(give(owner.principal.username)).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(give(full.principal.username, 'cli_x')).rejects.toMatchObject({ code: 'not_found' })
  const [row] = await app.context.db.select().from(clients).where(eq(clients.id, id))
  if (!row) throw new Error('It is not there')
  const { userId: ownerId } = full.principal
  const others = Array.from({ length: 100 }, () => ({ ...row, id: newId('client', app.clock.at), ownerId }))
  await app.context.db.insert(clients).values(others)
  await expect(give(full.principal.username)).rejects.toMatchObject({ code: 'limit_reached' })
  expect(await getApplication(owner, { id })).toMatchObject({ role: 'owner' })
  await closeOwnAccount(full, full.principal)
  await expect(give(full.principal.username)).rejects.toMatchObject({ code: 'user_not_found' })
})

test('one that stopped with its owner’s account is given to somebody else, whose account it did not stop with', async () => {
  const [owner, next] = [await confirmedPerson(app), await confirmedPerson(app)]
  const { id } = await make(owner)
  const isStopped = async () => (await getApplication(next, { id })).disabled_at !== null
  const leaveAndReturn = async () => {
    const { userId, username } = next.principal
    await closeOwnAccount(await app.actingAs({ id: userId, username }), next.principal)
    await reopenUser(app.context, username)
  }
  await closeOwnAccount(owner, owner.principal)
  await giveApplication(app.context, { id, username: next.principal.username })
  await reopenUser(app.context, owner.principal.username)
  await leaveAndReturn()
  expect(await isStopped()).toBe(true)
  await enableApplication(app.context, id)
  await leaveAndReturn()
  expect(await isStopped()).toBe(false)
  await disableApplication(app.context, id)
  await leaveAndReturn()
  expect(await isStopped(), 'what the operator stopped stays stopped').toBe(true)
})
