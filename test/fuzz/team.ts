import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { grantTypes } from '../../src/shared/grants.ts'
import { apiScopeDescriptions } from '../../src/shared/scope-descriptions.ts'
import { Browser } from '../support/browser.ts'
import { type BoundToken, bindToken } from './dpop.ts'

/** Somebody who has just signed up and has confirmed their address. */
export type Person = { base: string; username: string; email: string; password: string; browser: Browser }

/** An application with people of every role, and a credential of every kind. */
export type Team = {
  people: readonly Person[]
  application: { client_id: string; client_secret: string }
  /** What stands in `Authorization: Bearer`, and has a right somewhere. */
  tokens: readonly string[]
  /** What is a secret of ours, and no credential of the API but of a part of it. */
  others: readonly string[]
  bound: BoundToken
}

const MAIL_MS = 20_000
const LOOK_MS = 50
const LOOKED_AT = 50

/** Makes all of it anew by the pages, the procedures and the mails, as people do. */
export async function openTeam(base: string, mailFolder: string): Promise<Team> {
  const at = { base, mailFolder }
  const [owner, developer, viewer, stranger] = (await Promise.all(
    ['owner', 'developer', 'viewer', 'stranger'].map((role) => newPerson(at, role)),
  )) as [Person, Person, Person, Person]
  const { id, client_secret } = await call<{ id: string; client_secret: string }>(owner, 'applications.create', {
    name: 'Tried by the fuzzer',
    confidential: true,
    redirect_uris: ['http://127.0.0.1:4000/callback'],
    grant_types: grantTypes,
    scopes: Object.keys(apiScopeDescriptions),
  })
  await joinBy(at, owner, developer, { application_id: id, role: 'developer' })
  await joinBy(at, owner, viewer, { application_id: id, role: 'viewer' })
  const token = (stands_for: string) =>
    call<{ access_token: string }>(developer, 'applications.issueToken', { application_id: id, stands_for })
  const { key } = await call<{ key: string }>(owner, 'applications.keys.create', { application_id: id, name: 'Key' })
  const overlay = await call<{ key: string }>(owner, 'overlays.create', {
    name: 'O',
    event_types: ['chat.message.sent'],
  })
  const stream = await call<{ key: string }>(owner, 'streamKeys.roll', {})
  const issued = await Promise.all([token('me'), token('application')])
  return {
    people: [owner, developer, viewer, stranger],
    application: { client_id: id, client_secret },
    tokens: [key, ...issued.map(({ access_token }) => access_token)],
    others: [overlay.key, stream.key, client_secret],
    bound: await bindToken(base, (input) => call(owner, 'applications.create', input)),
  }
}

/** What their browser sends along. */
export const cookieOf = ({ browser }: Pick<Person, 'browser'>) =>
  [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

type Place = { base: string; mailFolder: string }

async function newPerson({ base, mailFolder }: Place, role: string): Promise<Person> {
  const browser = new Browser(base)
  const username = `${role}_x${randomBytes(4).toString('hex')}` // a bare "owner_1" is reserved
  const [email, password] = [`${username}@example.org`, randomBytes(12).toString('base64url')]
  const { status, text } = await browser.submit(await browser.get('/signup'), '/signup', { username, email, password })
  if (status !== 303) throw new Error(`Nobody could sign up: ${status} ${text}`)
  const link = await linkTo(mailFolder, email, /\/verify\?token=\S+/)
  await browser.submit(await browser.get(link), '/verify')
  return { base, username, email, password, browser }
}

async function joinBy(
  { mailFolder }: Place,
  owner: Person,
  invited: Person,
  to: { application_id: string; role: string },
) {
  await call(owner, 'people.invite', { ...to, email: invited.email })
  const link = await linkTo(mailFolder, invited.email, /\/console\/invitations\?token=\S+/)
  await call(invited, 'people.accept', { token: link.slice(link.indexOf('=') + 1) })
}

/** Calls a procedure by the cookie of a session; only success counts. */
async function call<Answer>(person: Person, name: string, input: object): Promise<Answer> {
  const response = await fetch(`${person.base}/trpc/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: cookieOf(person) },
    body: JSON.stringify(input),
  })
  const { result, error } = (await response.json()) as { result?: { data: Answer }; error?: { message: string } }
  if (!result) throw new Error(`${name}: ${error?.message}`)
  return result.data
}

/** What of the newest mail to an address matches, as soon as there is one. */
async function linkTo(mailFolder: string, address: string, pattern: RegExp): Promise<string> {
  for (const until = Date.now() + MAIL_MS; Date.now() < until; await after(LOOK_MS)) {
    const mails = mailsIn(mailFolder).filter((text) => text.includes(`To: ${address}`))
    const found = mails.map((text) => pattern.exec(text)?.[0]).findLast((link) => link !== undefined)
    if (found) return found
  }
  throw new Error(`No mail to ${address} has a link like ${pattern}`)
}

/** What was mailed last, to whomever. */
export const newestMails = (mailFolder: string): string => mailsIn(mailFolder).slice(-20).join('\n')

function mailsIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).toSorted().slice(-LOOKED_AT)
    return names.map((name) => readFileSync(join(folder, name), 'utf8'))
  } catch {
    return [] // there was none yet
  }
}
