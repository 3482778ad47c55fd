import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { createFeedApp } from './support/feed.ts'

const app = await createFeedApp()
afterAll(() => app[Symbol.asyncDispose]())
const { bob, userToken, applicationToken, say, page, context } = app
const refusal = async (since: string) => {
  const { status, body } = await app.request(`GET /v1/events?since=${since}`, { token: applicationToken })
  return [status, body.error?.code, /is of (\S+): ask/.exec(body.error?.message)?.[1]]
}

test('events without a position are had by channel; of all channels one is told from when on there are all', async () => {
  const since = context.now().toISOString()
  await say('of an earlier release')
  await say('of an earlier release, too', bob)
  await context.db.execute(sql`update events set position = null`)
  const [status, code, oldest = ''] = await refusal(since)
  expect([status, code]).toEqual([410, 'cursor_expired'])
  expect(await refusal(since), 'as long as nothing else has happened').toEqual([410, 'cursor_expired', oldest])
  await say('of this one')
  expect(await refusal(since)).toEqual([410, 'cursor_expired', oldest])
  expect((await page(`/v1/events?since=${oldest}&wait=20`, applicationToken)).said).toEqual(['of this one'])
  expect((await page(`/v1/events?since=${since}`, userToken)).said).toEqual(['of an earlier release', 'of this one'])
  const ofBob = await page(`/v1/events?since=${since}&channel=bob`, applicationToken)
  expect(ofBob.said).toEqual(['of an earlier release, too'])
})
