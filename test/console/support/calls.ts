import type { Page } from 'playwright-core'
import { createClient } from '../../../src/client/index.ts'

/** The typed client in the session of the person who is logged in on this page: what they could do by hand, sooner. */
export async function callsOf(page: Page, base: string) {
  const cookies = await page.context().cookies()
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  return createClient({
    baseUrl: base,
    fetch: (to, init) => fetch(to, { ...init, headers: { ...init?.headers, cookie, 'sec-fetch-site': 'same-origin' } }),
  })
}

export type OwnCalls = Awaited<ReturnType<typeof callsOf>>

/** An application of theirs with a key, made in their session. */
export async function makeApplication(calls: OwnCalls, name: string) {
  const { id } = await calls.applications.create.mutate({ name, confidential: true })
  const { key } = await calls.applications.keys.create.mutate({ application_id: id, name: `Key of ${name}` })
  return { id, key }
}
