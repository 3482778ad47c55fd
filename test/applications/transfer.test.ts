import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applicationInvitations, applicationMembers, clients, users } from '../../src/db/schema/index.ts'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { closeOwnAccount, listClosingEffects } from '../../src/domain/accounts/closing/close.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { listApplicationAudit } from '../../src/domain/applications/audit-log.ts'
import { getApplication } from '../../src/domain/applications/list.ts'
import { acceptInvitation } from '../../src/domain/applications/people/accept.ts'
import { invitePerson, offerTransfer } from '../../src/domain/applications/people/invite.ts'
import { listPeople } from '../../src/domain/applications/people/list.ts'
import { leaveApplication, removeMember } from '../../src/domain/applications/people/members.ts'
import { acceptTransfer } from '../../src/domain/applications/people/transfer.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'
import { type Acting, confirmedPerson, invitationTo, reading } from './invited.ts'

let app: FactorsApp
let owner: Acting
let developer: Acting
let id: string
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const emailOf = ({ principal }: Acting) => `${principal.username}@example.com`
async function join(person: Acting, role: 'developer' | 'viewer', at = app.clock.at) {
  const { userId } = person.principal
  await app.context.db.insert(applicationMembers).values({ clientId: id, userId, role, joinedAt: at })
}
/** An application with a developer, both new. */
async function begin() {
  owner = await confirmedPerson(app)
  developer = await confirmedPerson(app)
  id = (await createApplication(owner, { name: 'Handed', confidential: true, redirect_uris: ['https://a.example/cb'] }))
    .id
  await join(developer, 'developer')
}
const peopleOf = async (by: Acting) =>
  (await listPeople(reading(by), { application_id: id })).members.map(({ username, role }) => `${role} ${username}`)
const subjectsTo = async (who: Acting) => {
  while ((await sendDueMails(app.context)) > 0);
  return app.sentMails.filter(({ to }) => to === emailOf(who)).map(({ text }) => text.subject)
}
/** Gives somebody so many other applications. */
async function fill(ownerId: string, count: number) {
  const [row] = await app.context.db.select().from(clients).where(eq(clients.id, id))
  if (!row) throw new Error('It is not there')
  const others = Array.from({ length: count }, () => ({ ...row, id: newId('client', app.clock.at), ownerId }))
  await app.context.db.insert(clients).values(others)
  return others
}
const dead = { code: 'invalid_request' }

test('a member takes an application over once they accept; its owner becomes a developer, and both logs say so', async () => {
  await begin()
  const { userId } = developer.principal
  const { key } = await createKey(owner, { application_id: id, name: 'CI' })
  await offerTransfer(owner, { application_id: id, user_id: userId })
  expect(await subjectsTo(developer)).toContain('An application is offered to you')
  expect(await peopleOf(owner), 'nothing has changed yet').toEqual([
    `owner ${owner.principal.username}`,
    `developer ${developer.principal.username}`,
  ])
  expect((await listPeople(reading(developer), { application_id: id })).invitations).toMatchObject([{ role: 'owner' }])
  expect(await acceptTransfer(developer, { application_id: id })).toEqual({ application_id: id, role: 'owner' })
  expect(await peopleOf(owner)).toEqual([
    `owner ${developer.principal.username}`,
    `developer ${owner.principal.username}`,
  ])
  await expect(getApplication(owner, { id }), 'is the owner no more').rejects.toMatchObject({ code: 'forbidden' })
  expect(await authenticate(app.context, key)).toMatchObject({ ownerId: userId })
  expect(await subjectsTo(owner)).toContain('Your application has a new owner')
  const { items } = await listApplicationAudit(developer, { application_id: id, limit: 2 })
  expect(items).toMatchObject([
    { action: 'application.transferred', actor_id: userId, details: { new_owner: developer.principal.username } },
    { action: 'application.transfer_offered', actor_id: owner.principal.userId },
  ])
  await expect(acceptTransfer(developer, { application_id: id })).rejects.toMatchObject(dead)
})

test('an application is offered to one at a time: by an address as well, and accepted by whoever has confirmed that', async () => {
  await begin()
  const stranger = await confirmedPerson(app)
  await offerTransfer(owner, { application_id: id, user_id: developer.principal.userId })
  await offerTransfer(owner, { application_id: id, email: emailOf(stranger) })
  expect(await app.context.db.$count(applicationInvitations, eq(applicationInvitations.clientId, id))).toBe(1)
  await expect(acceptTransfer(developer, { application_id: id })).rejects.toMatchObject(dead)
  const token = await invitationTo(app, emailOf(stranger))
  await expect(acceptTransfer(developer, { token })).rejects.toMatchObject({ code: 'forbidden' })
  await expect(acceptInvitation(stranger, { token }), 'is no mere invitation').rejects.toMatchObject(dead)
  await acceptTransfer(stranger, { token })
  expect(await peopleOf(developer)).toHaveLength(3)
})

test('an invitation to work on an application hands nothing over', async () => {
  await begin()
  const stranger = await confirmedPerson(app)
  await invitePerson(owner, { application_id: id, email: emailOf(stranger), role: 'developer' })
  const token = await invitationTo(app, emailOf(stranger))
  await expect(acceptTransfer(stranger, { token })).rejects.toMatchObject(dead)
  await expect(acceptTransfer(stranger, {})).rejects.toMatchObject(dead)
  await expect(acceptTransfer(stranger, { application_id: id })).rejects.toMatchObject(dead)
  expect(await acceptInvitation(stranger, { token })).toMatchObject({ role: 'developer' })
})

test('it is offered to a member or an address, never to a stranger’s account or to both', async () => {
  await begin()
  const stranger = await confirmedPerson(app)
  const to = (user_id?: string, email?: string) => offerTransfer(owner, { application_id: id, user_id, email })
  await expect(to(stranger.principal.userId)).rejects.toMatchObject({ code: 'not_found' })
  await expect(to(owner.principal.userId)).rejects.toMatchObject({ code: 'not_found' })
  await expect(to()).rejects.toMatchObject(dead)
  await expect(to(developer.principal.userId, 'a@example.org')).rejects.toMatchObject(dead)
})

test('limits count for the new owner: who owns as many as one may cannot take one over, and the offer stays', async () => {
  await begin()
  const { userId } = developer.principal
  const others = await fill(userId, 100)
  await offerTransfer(owner, { application_id: id, user_id: userId })
  await expect(acceptTransfer(developer, { application_id: id })).rejects.toMatchObject({ code: 'limit_reached' })
  await app.context.db.delete(clients).where(eq(clients.id, others[0]?.id ?? ''))
  expect(await acceptTransfer(developer, { application_id: id })).toMatchObject({ role: 'owner' })
})

test('where developers need a second factor, whoever takes an application over has to have shown one', async () => {
  await begin()
  await offerTransfer(owner, { application_id: id, user_id: developer.principal.userId })
  const guarded = { ...developer, secondFactor: 'developers' } as const
  await expect(acceptTransfer(guarded, { application_id: id })).rejects.toMatchObject({
    code: 'second_factor_required',
  })
  const { id: sessionId = '' } = developer.principal.session ?? {}
  const session = { id: sessionId, amr: ['pwd', 'otp'] as const, isFresh: true }
  const proved = { ...guarded, principal: { ...developer.principal, session } }
  expect(await acceptTransfer(proved, { application_id: id })).toMatchObject({ role: 'owner' })
})

test('an application has room for 50 people and 20 invitations', async () => {
  await begin()
  const made = Array.from({ length: 48 }, (_, n) => ({ id: newId('user', app.clock.at), username: `crowd_${n}` }))
  const at = { createdAt: app.clock.at, updatedAt: app.clock.at }
  await app.context.db.insert(users).values(made.map((one) => ({ ...one, ...at })))
  const members = made.map(({ id: userId }) => ({
    clientId: id,
    userId,
    role: 'viewer' as const,
    joinedAt: app.clock.at,
  }))
  await app.context.db.insert(applicationMembers).values(members)
  const [last, late] = [await confirmedPerson(app), await confirmedPerson(app)]
  const invite = (email: string) => invitePerson(owner, { application_id: id, email, role: 'viewer' })
  for (const who of [last, late]) await invite(emailOf(who))
  for (let n = 0; n < 18; n++) await invite(`guest${n}@example.org`)
  await expect(invite('more@example.org')).rejects.toMatchObject({ code: 'limit_reached', message: /20 open/ })
  await invite('guest3@example.org') // replaces its own
  await acceptInvitation(last, { token: await invitationTo(app, emailOf(last)) })
  const token = await invitationTo(app, emailOf(late))
  await expect(acceptInvitation(late, { token })).rejects.toMatchObject({ code: 'limit_reached' })
  await expect(invite('another@example.org')).rejects.toMatchObject({ code: 'limit_reached', message: /50 people/ })
})

test('what a closed account owned goes to the developer who came first and is open, else it is stopped', async () => {
  await begin()
  const [closed, viewer] = [await confirmedPerson(app), await confirmedPerson(app)]
  const earlier = (days: number) => new Date(app.clock.at.getTime() - days * 86_400_000)
  await join(closed, 'developer', earlier(9))
  await join(viewer, 'viewer', earlier(8))
  await app.context.db.update(users).set({ disabledAt: app.clock.at }).where(eq(users.id, closed.principal.userId))
  await offerTransfer(owner, { application_id: id, email: 'somebody@example.org' })
  const alone = await createApplication(owner, { name: 'Alone', confidential: true })
  const { key } = await createKey(owner, { application_id: alone.id, name: 'CI' })
  expect((await listClosingEffects(owner)).applications).toEqual([
    { id, name: 'Handed', heir: developer.principal.username },
    { id: alone.id, name: 'Alone', heir: null },
  ])
  await closeOwnAccount(owner, owner.principal)
  expect(await getApplication(developer, { id })).toMatchObject({ role: 'owner', disabled_at: null })
  expect(await subjectsTo(developer)).toContain('You own an application now')
  expect((await listPeople(developer, { application_id: id })).invitations).toEqual([])
  await expect(authenticate(app.context, key)).rejects.toMatchObject({ code: 'invalid_token' })
  expect(await peopleOf(developer), 'closed accounts are not seen').toEqual([
    `owner ${developer.principal.username}`,
    `viewer ${viewer.principal.username}`,
  ])
})

test('who is taken out or leaves comes back by nothing that was open: no invitation, no offer', async () => {
  for (const end of ['removed', 'left'] as const) {
    await begin()
    const { userId } = developer.principal
    const leave = () =>
      end === 'removed'
        ? removeMember(owner, { application_id: id, user_id: userId })
        : leaveApplication(reading(developer), { application_id: id })
    await invitePerson(owner, { application_id: id, email: emailOf(developer).toUpperCase(), role: 'developer' })
    const invitation = await invitationTo(app, emailOf(developer).toUpperCase())
    await offerTransfer(owner, { application_id: id, user_id: userId })
    const offer = await invitationTo(app, emailOf(developer))
    await leave()
    await expect(acceptInvitation(developer, { token: invitation })).rejects.toMatchObject(dead)
    await expect(acceptTransfer(developer, { application_id: id })).rejects.toMatchObject(dead)
    await expect(acceptTransfer(developer, { token: offer })).rejects.toMatchObject(dead)
    expect((await listPeople(owner, { application_id: id })).invitations).toEqual([])
  }
})

test('an offer to a member is for a member: what is left of one opens nothing to a stranger', async () => {
  await begin()
  const { userId } = developer.principal
  await offerTransfer(owner, { application_id: id, user_id: userId })
  await app.context.db.delete(applicationMembers).where(eq(applicationMembers.userId, userId))
  await expect(acceptTransfer(developer, { application_id: id })).rejects.toMatchObject(dead)
})

test('of several that are taken over at once as many are as an account has room for', async () => {
  await begin()
  const { userId } = developer.principal
  await fill(userId, 98)
  const offered = [id]
  for (let n = 0; n < 4; n++) {
    id = (await createApplication(owner, { name: `Handed ${n}`, confidential: true })).id
    offered.push(id)
    await join(developer, 'developer')
  }
  for (const one of offered) await offerTransfer(owner, { application_id: one, user_id: userId })
  const tries = await Promise.allSettled(offered.map((one) => acceptTransfer(developer, { application_id: one })))
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(await app.context.db.$count(clients, eq(clients.ownerId, userId))).toBe(100)
})
