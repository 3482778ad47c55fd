import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { applicationInvitations, mails, users } from '../../src/db/schema/index.ts'
import { listOwnAudit } from '../../src/domain/accounts/audit-log.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { listApplicationAudit } from '../../src/domain/applications/audit-log.ts'
import { getApplication } from '../../src/domain/applications/list.ts'
import { acceptInvitation, declineInvitation, readInvitation } from '../../src/domain/applications/people/accept.ts'
import { invitePerson, offerTransfer, revokeInvitation } from '../../src/domain/applications/people/invite.ts'
import { listPeople } from '../../src/domain/applications/people/list.ts'
import { changeRole, leaveApplication, removeMember } from '../../src/domain/applications/people/members.ts'
import { acceptTransfer } from '../../src/domain/applications/people/transfer.ts'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'
import { type Acting, confirmedPerson, invitationTo, reading } from './invited.ts'

let app: FactorsApp
let owner: Acting
beforeAll(async () => {
  app = await createFactorsApp()
  owner = await confirmedPerson(app)
})
afterAll(() => app[Symbol.asyncDispose]())

const wanted = { confidential: true, redirect_uris: ['https://a.example/cb'] }
const newApplication = async (by = owner) => (await createApplication(by, { name: 'Shared', ...wanted })).id
const emailOf = ({ principal }: Acting) => `${principal.username}@example.com`
const invite = (id: string, email: string, role: 'developer' | 'viewer' = 'developer') =>
  invitePerson(owner, { application_id: id, email, role })

/** Somebody who has accepted an invitation. */
async function member(id: string, role: 'developer' | 'viewer' = 'developer', who?: Acting): Promise<Acting> {
  const person = who ?? (await confirmedPerson(app))
  await invite(id, emailOf(person), role)
  await acceptInvitation(person, { token: await invitationTo(app, emailOf(person)) })
  return person
}
const dead = { code: 'invalid_request' }
const actions = async (id: string) =>
  (await listApplicationAudit(owner, { application_id: id, limit: 20 })).items.map(({ action }) => action)

test('whoever is invited joins by the link in the mail, once; to open it changes nothing; the log says who', async () => {
  const id = await newApplication()
  const bob = await confirmedPerson(app)
  const invited = await invite(id, emailOf(bob).toUpperCase(), 'viewer')
  expect(invited).toMatchObject({ role: 'viewer', email: emailOf(bob).toUpperCase(), username: null })
  const token = await invitationTo(app, emailOf(bob).toUpperCase())
  const shown = { application_name: 'Shared', role: 'viewer', invited_by: owner.principal.username, fit: 'yes' }
  for (const _ of [1, 2]) expect(await readInvitation(bob, { token })).toMatchObject(shown)
  await expect(getApplication(reading(bob), { id })).rejects.toMatchObject({ code: 'not_found' })

  expect(await acceptInvitation(bob, { token })).toEqual({ application_id: id, role: 'viewer' })
  expect(await getApplication(reading(bob), { id })).toMatchObject({ id, role: 'viewer' })
  await expect(acceptInvitation(bob, { token })).rejects.toMatchObject(dead)
  await expect(readInvitation(bob, { token })).rejects.toMatchObject(dead)
  const { items } = await listApplicationAudit(owner, { application_id: id, limit: 2 })
  expect(items).toMatchObject([
    {
      action: 'member.joined',
      actor_id: bob.principal.userId,
      target_name: bob.principal.username,
      details: { role: 'viewer' },
    },
    { action: 'member.invited', actor_id: owner.principal.userId, target_id: invited.id },
  ])
})

test('who was its owner and is taken out brings nobody in: what they have asked others to ends with them', async () => {
  const before = await confirmedPerson(app)
  const id = await newApplication(before)
  const friend = await confirmedPerson(app)
  await invitePerson(before, { application_id: id, email: emailOf(friend), role: 'developer' })
  const token = await invitationTo(app, emailOf(friend))
  await offerTransfer(before, { application_id: id, email: emailOf(owner) })
  await acceptTransfer(owner, { token: await invitationTo(app, emailOf(owner)) })
  await removeMember(owner, { application_id: id, user_id: before.principal.userId })
  await expect(acceptInvitation(friend, { token })).rejects.toMatchObject(dead)
})

test('an invitation is for the account that has confirmed the address it went to, and for no other', async () => {
  const id = await newApplication()
  const [bob, other] = [await confirmedPerson(app), await confirmedPerson(app)]
  await invite(id, emailOf(bob))
  const token = await invitationTo(app, emailOf(bob))
  expect(await readInvitation(other, { token })).toMatchObject({ fit: 'other_account' })
  const confirmed = (at: Date | null) =>
    app.context.db.update(users).set({ emailVerifiedAt: at }).where(eq(users.id, bob.principal.userId))
  await confirmed(null)
  expect(await readInvitation(bob, { token })).toMatchObject({ fit: 'unconfirmed' })
  for (const somebody of [other, bob]) {
    await expect(acceptInvitation(somebody, { token })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(declineInvitation(somebody, { token })).rejects.toMatchObject({ code: 'forbidden' })
  }
  await confirmed(app.clock.at)
  expect(await acceptInvitation(bob, { token })).toMatchObject({ role: 'developer' })
})

test('an answer does not tell whether there is such an account; who has asked one mailbox four times today is told', async () => {
  const id = await newApplication()
  const bob = await confirmedPerson(app)
  const counting = { ...owner, counters: memoryCounters() }
  const ask = (email: string) => invitePerson(counting, { application_id: id, email, role: 'developer' })
  const answers = []
  for (const email of [emailOf(bob), 'nobody@example.org']) {
    for (let n = 0; n < 4; n++) answers.push({ ...(await ask(email)), email })
    await expect(ask(email), 'their own share of the day is used up').rejects.toMatchObject({
      code: 'rate_limited',
    })
    expect(await app.context.db.$count(mails, eq(mails.address, email))).toBe(4)
  }
  const shapes = answers.map(({ id: _, created_at, expires_at, email: __, ...rest }) => ({
    ...rest,
    days: Math.round((Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000),
  }))
  expect(new Set(shapes.map((shape) => JSON.stringify(shape)))).toEqual(
    new Set([JSON.stringify({ role: 'developer', username: null, days: 7 })]),
  )
})

test('what strangers send to a mailbox leaves room for the invitations of others, by accounts and by networks', async () => {
  const [stranger, friend, victim] = [
    await confirmedPerson(app),
    await confirmedPerson(app),
    await confirmedPerson(app),
  ]
  const id = await newApplication(friend)
  const theirs = await newApplication(stranger)
  const counters = memoryCounters()
  const from = (who: Acting, address: string) => ({ ...who, counters, caller: { ...who.caller, address } })
  for (let n = 0; n < 4; n++) {
    const email = `${victim.principal.username}+${n}@example.com`
    await invitePerson(from(stranger, '198.51.100.7'), { application_id: theirs, email, role: 'viewer' })
  }
  const one = { application_id: theirs, email: emailOf(victim), role: 'viewer' } as const
  await expect(invitePerson(from(stranger, '192.0.2.77'), one)).rejects.toMatchObject({ code: 'rate_limited' })
  const asked = { application_id: id, email: emailOf(victim), role: 'developer' } as const
  await invitePerson(from(friend, '203.0.113.9'), asked)
  await acceptInvitation(victim, { token: await invitationTo(app, emailOf(victim)) })
})

test('a link is dead once a newer one was sent, it was taken back, declined, or is 7 days old; its token is stored nowhere', async () => {
  const id = await newApplication()
  const bob = await confirmedPerson(app)
  const sent = async () => {
    const invitation = await invite(id, emailOf(bob))
    return { ...invitation, token: await invitationTo(app, emailOf(bob)) }
  }
  const first = await sent()
  const second = await sent()
  const rows = await app.context.db.select().from(applicationInvitations).where(eq(applicationInvitations.clientId, id))
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(second.token.slice(5, 30))
  await expect(acceptInvitation(bob, { token: first.token }), 'replaced').rejects.toMatchObject(dead)
  await revokeInvitation(owner, { application_id: id, id: second.id })
  await expect(acceptInvitation(bob, { token: second.token }), 'taken back').rejects.toMatchObject(dead)
  await expect(revokeInvitation(owner, { application_id: id, id: second.id })).rejects.toMatchObject({
    code: 'not_found',
  })
  const third = await sent()
  await declineInvitation(bob, { token: third.token })
  await expect(acceptInvitation(bob, { token: third.token }), 'declined').rejects.toMatchObject(dead)
  const fourth = await sent()
  await app.elapse(applicationInvitations, 'expiresAt', 7 * 86_400_000)
  await expect(acceptInvitation(bob, { token: fourth.token }), 'old').rejects.toMatchObject(dead)
  expect((await listPeople(owner, { application_id: id })).invitations).toEqual([])
  await expect(acceptInvitation(bob, { token: 'lsml_x' })).rejects.toMatchObject(dead)
  expect(await actions(id)).toContain('invitation.declined')
})

test('of many who use a link at the same moment one joins', async () => {
  const id = await newApplication()
  const bob = await confirmedPerson(app)
  await invite(id, emailOf(bob))
  const token = await invitationTo(app, emailOf(bob))
  const tries = await Promise.allSettled(Array.from({ length: 5 }, () => acceptInvitation(bob, { token })))
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await actions(id)).filter((action) => action === 'member.joined')).toHaveLength(1)
})

test('a name that may become a link is not in the mail to a stranger', async () => {
  for (const name of ['Win at evil.example', 'see www evil', 'http://10', 'A plain name']) {
    const { id } = await createApplication(owner, { name, ...wanted })
    const email = `stranger${id.slice(-5).toLowerCase()}@example.org`
    await invite(id, email)
    await invitationTo(app, email)
    const said = JSON.stringify(app.sentMails.find(({ to }) => to === email)?.text)
    expect(said.includes(name), name).toBe(name === 'A plain name')
  }
})

test('who invites has confirmed an address, invites somebody else, at an address', async () => {
  const newcomer = await app.actingAs(await app.person())
  const theirs = await newApplication(newcomer)
  const asked = { application_id: theirs, email: 'a@example.org', role: 'viewer' } as const
  await expect(invitePerson(newcomer, asked)).rejects.toMatchObject({ code: 'forbidden' })
  const id = await newApplication()
  for (const email of [emailOf(owner), 'nobody', 'a@example.org, b@example.org'])
    await expect(invite(id, email)).rejects.toMatchObject({ code: 'invalid_request', message: /^email:/ })
  expect((await listPeople(owner, { application_id: id })).invitations).toEqual([])
})

test('another role holds from the next call on, and whoever is taken out is a stranger', async () => {
  const id = await newApplication()
  const bob = await member(id, 'viewer')
  const about = { application_id: id, user_id: bob.principal.userId }
  await changeRole(owner, { ...about, role: 'developer' })
  await changeRole(owner, { ...about, role: 'developer' })
  expect(await getApplication({ ...bob, role: 'developer' }, { id })).toMatchObject({ role: 'developer' })
  await removeMember(owner, about)
  await expect(getApplication(reading(bob), { id })).rejects.toMatchObject({ code: 'not_found' })
  await expect(removeMember(owner, about)).rejects.toMatchObject({ code: 'not_found' })
  const records = ['member.removed', 'member.role_changed', 'member.joined', 'member.invited']
  expect((await actions(id)).slice(0, 4), 'to change nothing leaves no record').toEqual(records)
  const [removed] = (await listOwnAudit(bob, { limit: 1 })).items
  expect(removed).toMatchObject({
    action: 'member.removed',
    actor_name: owner.principal.username,
    ip: null,
    user_agent: null,
  })
})

test('the owner is no member: nobody takes them out or gives them a role, and they leave only by handing it on', async () => {
  const id = await newApplication()
  const about = { application_id: id, user_id: owner.principal.userId }
  await expect(removeMember(owner, about)).rejects.toMatchObject({ code: 'not_found' })
  await expect(changeRole(owner, { ...about, role: 'viewer' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(leaveApplication(reading(owner), { application_id: id })).rejects.toMatchObject(dead)
  const bob = await member(id)
  await leaveApplication(reading(bob), { application_id: id })
  expect((await listPeople(owner, { application_id: id })).members.map(({ role }) => role)).toEqual(['owner'])
})

test('a member sees who belongs to it, and no address', async () => {
  const id = await newApplication()
  const bob = await member(id)
  await invite(id, 'secret@example.org')
  const seen = await listPeople(reading(bob), { application_id: id })
  expect(seen.members).toMatchObject([
    { username: owner.principal.username, role: 'owner', joined_at: null },
    { username: bob.principal.username, role: 'developer' },
  ])
  expect(JSON.stringify(seen)).not.toContain('@')
})
