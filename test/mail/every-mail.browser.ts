import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeys, applicationMembers, users, webhookSubscriptions } from '../../src/db/schema/index.ts'
import { signUp } from '../../src/domain/accounts/accounts.ts'
import { changeEmail } from '../../src/domain/accounts/addresses.ts'
import { closeOwnAccount } from '../../src/domain/accounts/closing/close.ts'
import { reopenUser } from '../../src/domain/accounts/closing/reopen.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { tellOfEndingKeys } from '../../src/domain/applications/key-notices.ts'
import { giveApplication } from '../../src/domain/applications/people/give.ts'
import { invitePerson, offerTransfer } from '../../src/domain/applications/people/invite.ts'
import { acceptTransfer } from '../../src/domain/applications/people/transfer.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { confirmTotp, startTotp } from '../../src/domain/factors/authenticator.ts'
import { removeTotp } from '../../src/domain/factors/remove.ts'
import { knownKinds } from '../../src/domain/mail/kinds.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { tellOfFailing } from '../../src/domain/webhooks/worker/notices.ts'
import { type Acting, confirmedPerson } from '../applications/invited.ts'
import { hasBrowser } from '../console/support/browser.ts'
import { authenticatorOf } from '../factors/people.ts'
import { caller } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'
import { openReader } from './reader.ts'

const OTHER = 'another pass phrase of theirs'
const DAY_MS = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
const emailOf = ({ principal }: Acting) => `${principal.username}@example.com`

const sees = (words: string | RegExp) => (page: Page) => page.getByText(words).first().waitFor()
const isHeaded = (name: string) => (page: Page) => page.getByRole('heading', { name, level: 1 }).waitFor()
const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()
const asked = sees('Say who you are')
async function confirms(page: Page) {
  await press('Confirm')(page)
  await isHeaded('Your address is confirmed')(page)
}
const sets = (password: string) => async (page: Page) => {
  await page.getByLabel('New password').fill(password)
  await press('Set the password')(page)
  await isHeaded('Your password is changed')(page)
}

describe.skipIf(!hasBrowser)(
  'by a mail server every mail arrives, and each of its links leads to where it says',
  () => {
    let reader: Awaited<ReturnType<typeof openReader>>
    beforeAll(async () => {
      if (hasBrowser) reader = await openReader()
    })
    afterAll(() => reader?.[Symbol.asyncDispose]())

    const person = () => confirmedPerson(reader.app)
    const visitor = () => ({ ...reader.app.context, caller: caller({ address: '192.0.2.60' }) })
    const again = ({ principal }: Acting) => reader.app.actingAs({ id: principal.userId, username: principal.username })
    const make = async (owner: Acting, name: string) =>
      (await createApplication(owner, { name, confidential: true, redirect_uris: ['https://a.example/cb'] })).id

    test('of addresses and passwords', async () => {
      const { app } = reader
      const newcomer = { username: 'newcomer', email: 'newcomer@example.com', password: PASSWORD }
      await signUp(visitor(), newcomer)
      await reader.follow('confirm_address', newcomer.email, confirms)
      await signUp(visitor(), { ...newcomer, username: 'somebody_else' })
      await reader.follow('address_claimed', newcomer.email, asked)

      const ada = await person()
      await reader.enter(ada.principal.username)
      await reader.follow('new_device', emailOf(ada), isHeaded('Profile'))
      await reader.page.goto('/forgot')
      await reader.page.getByLabel('Username or email').fill(ada.principal.username)
      await press('Send the link')(reader.page)
      await reader.follow('reset_password', emailOf(ada), sets(OTHER))
      await reader.follow('password_changed', emailOf(ada), asked)

      await app.context.db
        .update(users)
        .set({ emailVerifiedAt: ago(30) })
        .where(eq(users.id, ada.principal.userId))
      const moved = `moved_${emailOf(ada)}`
      await changeEmail(await again(ada), { email: moved, password: OTHER })
      await reader.follow('address_changed', emailOf(ada), asked)
      await reader.follow('confirm_address', moved, confirms)
      await reader.follow('address_replaced', emailOf(ada), async (page) => {
        await sees('which has the address')(page)
        await sets(PASSWORD)(page)
      })
      await reader.follow('address_restored', moved)
    })

    test('of claims, factors, and accounts that are deleted', async () => {
      const { app } = reader
      const [fay, hal] = [await person(), await person()]
      await changeEmail(fay, { email: 'shared@example.com', password: PASSWORD })
      await signUp(visitor(), { username: 'quicker', email: 'shared@example.com', password: PASSWORD })
      await reader.follow('confirm_address', 'shared@example.com', sees('Is')) // that of who has claimed it first
      await reader.follow('confirm_address', 'shared@example.com', confirms)
      await reader.enter(fay.principal.username)
      await reader.follow('address_lost', emailOf(fay), isHeaded('Profile'))
      const { uri } = await startTotp(fay)
      await confirmTotp(fay, { code: authenticatorOf(uri, app.context.now).at() })
      await removeTotp(fay) // with the factor the session in the browser has ended
      await reader.enter(fay.principal.username)
      await reader.follow('factors_changed', emailOf(fay), isHeaded('Security'))

      await closeOwnAccount(hal, hal.principal)
      await reader.follow('account_closed', emailOf(hal))
      await reopenUser(app.context, hal.principal.username)
      await reader.page.context().clearCookies()
      await reader.follow('account_reopened', emailOf(hal), isHeaded('Log in'))
    })

    test('of the people of applications', async () => {
      const [owner, guest, leaver] = [await person(), await person(), await person()]
      const id = await make(owner, 'Shared')
      await invitePerson(owner, { application_id: id, email: emailOf(guest), role: 'developer' })
      await reader.enter(guest.principal.username)
      await reader.follow('application_invitation', emailOf(guest), async (page) => {
        await press('Accept')(page)
        await isHeaded('Shared')(page)
      })
      await offerTransfer(owner, { application_id: id, user_id: guest.principal.userId })
      await acceptTransfer(guest, { application_id: id })
      await reader.follow('application_transferred', emailOf(owner), asked)
      await giveApplication(reader.app.context, { id, username: owner.principal.username })
      await reader.follow('application_taken', emailOf(guest), isHeaded('Applications'))
      await reader.enter(owner.principal.username)
      await reader.follow('application_given', emailOf(owner), isHeaded('Shared'))

      const left = await make(leaver, 'Left behind')
      const joined = {
        clientId: left,
        userId: owner.principal.userId,
        role: 'developer',
        joinedAt: new Date(),
      } as const
      await reader.app.context.db.insert(applicationMembers).values(joined)
      await closeOwnAccount(leaver, leaver.principal)
      await reader.follow('application_handed_on', emailOf(owner), isHeaded('Left behind'))
    })

    test('of webhooks and keys', async () => {
      const { context } = reader.app
      const owner = await person()
      const application_id = await make(owner, 'Failing')
      const hook = { application_id, url: 'http://127.0.0.1:9/hook', event_types: ['chat.message.sent'] }
      const { id } = await createSubscriptionForApplication(owner, hook)
      const failing = { firstFailureAt: ago(1.5), failedAttempts: 5 }
      await context.db.update(webhookSubscriptions).set(failing).where(eq(webhookSubscriptions.id, id))
      const key = await createKey(owner, { application_id, name: 'CI' })
      const ending = { expiresAt: inMs(10 * DAY_MS), createdAt: ago(60) }
      await context.db.update(apiKeys).set(ending).where(eq(apiKeys.id, key.id))
      await tellOfFailing(context)
      await tellOfEndingKeys(context)
      await reader.enter(owner.principal.username)
      const settings = isHeaded('Notifications')
      await reader.follow('webhook_notice', emailOf(owner), sees('http://127.0.0.1:9/hook'), settings)
      await reader.follow('key_notice', emailOf(owner), sees('Create key'), settings)
    })

    test('and there is no other kind', () => {
      expect([...reader.kindsRead].toSorted()).toEqual(knownKinds.toSorted())
      expect(reader.faults).toEqual([])
    })
  },
)
