import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { unlimitedCounters } from '../../src/counters/counters.ts'
import { mails } from '../../src/db/schema/index.ts'
import { Keyring } from '../../src/domain/core/keyring.ts'
import type { MailKindName } from '../../src/domain/mail/kinds.ts'
import { logIn, type Visitor } from '../console/support/browser.ts'
import { openDatedBrowser } from '../console/support/dated-product.ts'
import { createFactorsApp } from '../factors/people.ts'
import { PASSWORD } from '../support/log.ts'
import { createMailServer, decoded } from './mail-server.ts'

const SECRET_KEYS = 'k'.repeat(32)

/**
 * The product with a mail server and somebody who reads what it gets, in a browser; and the verbs of the domain on the product's
 * database, for what takes days or another person.
 */
export async function openReader() {
  const server = await createMailServer()
  const browser = await openDatedBrowser({ SMTP_URL: server.url, MAIL_FROM: 'Live <live@example.net>', SECRET_KEYS })
  const parts = { db: browser.db, slow: browser.db, replica: browser.db, publicUrl: browser.product.base }
  const app = await createFactorsApp({
    ...parts,
    keyring: new Keyring([SECRET_KEYS]),
    counters: unlimitedCounters,
    now: () => new Date(),
  })
  const visitor: Visitor = await browser.visit()
  const { page } = visitor
  const read = new Set<string>()

  const kindOf = async (raw: string) => {
    const [, id = ''] = /^Message-ID: <(mai_\w+)@/im.exec(raw) ?? []
    const [row] = await browser.db.select({ kind: mails.kind }).from(mails).where(eq(mails.id, id))
    return { id, kind: row?.kind }
  }
  /** The mail of a kind to an address that was not read yet. */
  async function mailOf(kind: MailKindName, address: string): Promise<string | undefined> {
    for (const { to, raw } of server.received) {
      const found = to.includes(address) ? await kindOf(raw) : undefined
      if (found?.kind !== kind || read.has(found.id)) continue
      read.add(found.id)
      return decoded(raw)
    }
    return undefined
  }

  return {
    app,
    page,
    faults: visitor.faults,
    kindsRead: new Set<MailKindName>(),
    /** Waits for a mail and goes to where each of its links leads, the first one last. */
    async follow(kind: MailKindName, address: string, ...leads: ((page: Page) => Promise<unknown>)[]): Promise<void> {
      let mail: string | undefined
      await expect.poll(async () => (mail ??= await mailOf(kind, address)), { timeout: 15_000 }).toBeDefined()
      const links = [...new Set(mail?.match(/http:\/\/127\.0\.0\.1:\d+\/[^\s"<]+/g))]
      expect(links, `${kind}: ${links.join(' ')}`).toHaveLength(leads.length)
      for (const [n, link] of [...links.entries()].toReversed()) {
        expect((await page.goto(link))?.status(), `${kind}: ${link}`).toBe(200)
        await leads[n]?.(page)
      }
      this.kindsRead.add(kind)
    },
    /** Logs somebody in, in place of whoever was. */
    async enter(username: string, password = PASSWORD): Promise<void> {
      await page.context().clearCookies()
      await page.goto('/login?next=/console/account')
      await logIn(page, { username, password })
      await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await browser[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
