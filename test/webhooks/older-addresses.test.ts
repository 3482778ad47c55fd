import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { webhookSubscriptions as subscriptions } from '../../src/db/schema/index.ts'
import { statement } from '../../src/db/statement.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { HTTP_URI_FORM, isWebAddress } from '../../src/domain/core/url.ts'
import { mendUrls } from '../../src/domain/webhooks/http/mend-urls.ts'
import { maintainDeliveries } from '../../src/domain/webhooks/worker/maintenance.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { db } = app.context
const client = await app.client()
const token = await app.token(['webhook:write'], { client })

const judge = statement<[form: string, texts: string[]], { is_uri: boolean }>(
  'select t.text ~ $1::text as is_uri from unnest($2::text[]) with ordinality t (text, n) order by n',
)

/** As they were kept before a URL had to be a URI. */
async function keep(urls: readonly string[]) {
  const at = app.clock.at
  const rows = urls.map((url, n) => ({
    ...{ id: newId('subscription', new Date(at.getTime() + n)), clientId: client.id, userId: null, url },
    ...{ eventTypes: ['channel.updated'], failedAttempts: 3, createdAt: at, updatedAt: at },
  }))
  await db.insert(subscriptions).values(rows)
}
const kept = async () => (await db.select().from(subscriptions).orderBy(subscriptions.id)).map(({ url }) => url)

test('whatever was kept before an address had to be a URI is shown as the URI that leads to the same receiver', async () => {
  const [odd, meant] = [
    [
      'https://example.com/<x>',
      'https://bücher.example.com/straße?q=ä',
      'https://example.com/?a[]=1',
      'http:127.0.0.1',
    ],
    [
      'https://example.com/%3Cx%3E',
      'https://xn--bcher-kva.example.com/stra%C3%9Fe?q=%C3%A4',
      'https://example.com/?a%5B%5D=1',
      'http://127.0.0.1/',
    ],
  ]
  const asTheyAre = ['HTTPS://EXAMPLE.com:443/A/../b', 'https://a{b}.example.com/', 'https://u:p@example.com/<x>']
  await keep([...odd, ...asTheyAre])
  const before = await db.select().from(subscriptions).orderBy(subscriptions.id)
  await maintainDeliveries(app.context, app.clock.at)
  const after = await db.select().from(subscriptions).orderBy(subscriptions.id)
  expect(after).toEqual(before.map((row, n) => ({ ...row, url: [...meant, ...asTheyAre][n] })))
  const { body } = await app.request('GET /v1/events/subscriptions', { token })
  expect(body.data.slice(0, meant.length).map(({ url }: { url: string }) => url)).toEqual(meant)
  await db.delete(subscriptions)
})

test('all of them, a chunk after the other, and none twice', async () => {
  await keep(Array.from({ length: 25 }, (_, n) => `https://${n % 5 === 0 ? 'a{b}' : 'a'}.example.com/ä/${n}`))
  expect(await mendUrls(app.context, 4)).toBe(20)
  expect((await kept()).filter(isWebAddress)).toHaveLength(20)
  expect(await mendUrls(app.context, 4)).toBe(0)
  await db.delete(subscriptions)
})

test('the database finds whatever the service does not take for a URI', async () => {
  const piece = fc.oneof(
    fc.constantFrom('%', '%4', '%41', '[', ']', '?', '#', '\u017f', '\u212a', '\u0663', 'ä', '\\', '|', ' '),
    fc.string(),
  )
  const texts = fc
    .sample(fc.array(piece, { maxLength: 6 }), 500)
    .map((parts) => `https://example.com/${parts.join('')}`)
  const asked = texts.map((text) => text.replaceAll('\0', ''))
  const found = await judge(db, HTTP_URI_FORM, asked)
  expect(found.map(({ is_uri }) => is_uri)).toEqual(asked.map((text) => new RegExp(HTTP_URI_FORM).test(text)))
})
