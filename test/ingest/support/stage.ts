import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { asc, eq } from 'drizzle-orm'
import { events, users } from '../../../src/db/schema/index.ts'
import type { UserContext } from '../../../src/domain/core/context.ts'
import { scopes } from '../../../src/domain/core/scopes.ts'
import { rollStreamKey } from '../../../src/domain/ingest/stream-keys.ts'
import { createIngestServer } from '../../../src/rest/ingest/door.ts'
import { createTestContext } from '../../support/context.ts'

type Form = Record<string, string>
type Said = { query?: string; headers?: Record<string, string> }

/** The door of encoders on a port of its own, with channels that have keys. */
export async function createIngestStage(overrides: Parameters<typeof createTestContext>[0] = {}) {
  const test = await createTestContext({ ingest: { serverUrl: undefined, secret: undefined }, ...overrides })
  const { context } = test
  const server = createIngestServer(context)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/internal/ingest`

  const answerOf = async (response: Response) => {
    const text = await response.text()
    const { status, headers } = response
    return {
      status,
      location: headers.get('location'),
      text,
      code: text.startsWith('{"error') && JSON.parse(text).error.code,
    }
  }
  async function say(body: string | object, { query = '', headers = {} }: Said = {}) {
    const isForm = typeof body === 'string'
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
    return answerOf(
      await fetch(base + query, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': type, ...headers },
        body: isForm ? body : JSON.stringify(body),
      }),
    )
  }

  /** As nginx-rtmp calls, with all that it says of a connection. */
  const nginx = (call: string, name: string, clientid: number | string, more: Form = {}) =>
    say(
      `app=live&flashver=FMLE%2F3.0%20(compatible%3B%20FMSc%2F1.0)&swfurl=&tcurl=rtmp%3A%2F%2Flive.example%2Flive&pageurl=&addr=192.0.2.1&clientid=${clientid}&call=${call}&name=${name}&type=live${Object.entries(
        more,
      )
        .map(([key, value]) => `&${key}=${value}`)
        .join('')}`,
    )

  async function streamer(username: string) {
    const { id } = await test.user(username)
    const ctx: UserContext = {
      ...context,
      principal: { kind: 'user', userId: id, username, clientId: null, scopes },
    }
    const { key } = await rollStreamKey(ctx)
    return { id, username, ctx, key }
  }

  /** The types of a channel's events, in their order. */
  async function typesOf(channelId: string): Promise<string[]> {
    const found = await context.db
      .select({ type: events.type })
      .from(events)
      .where(eq(events.channelId, channelId))
      .orderBy(asc(events.sequence))
    return found.map(({ type }) => type)
  }

  const closeAccount = (id: string) =>
    context.db.update(users).set({ disabledAt: context.now() }).where(eq(users.id, id))

  return {
    ...test,
    base,
    answerOf,
    say,
    nginx,
    streamer,
    typesOf,
    closeAccount,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await test[Symbol.asyncDispose]()
    },
  }
}
