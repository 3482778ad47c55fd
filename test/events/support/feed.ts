import { expect } from 'vitest'
import { sendMessage } from '../../../src/domain/chat.ts'
import type { UserContext } from '../../../src/domain/core/context.ts'
import { scopes } from '../../../src/domain/core/scopes.ts'
import { LoadLimit } from '../../../src/rest/http/load-limit.ts'
import { createLiveApp } from '../../support/app.ts'
import { readSse } from './sse.ts'

/** The service with two channels, whose events are read with a token of the first one's user, or with that of an application. */
export async function createFeedApp() {
  const loadLimit = new LoadLimit()
  const app = await createLiveApp({ loadLimit })
  const [ada, bob] = [await app.user('ada'), await app.user('bob')]
  const token = await app.token(scopes, { user: ada })
  const application = await app.token(scopes)

  const as = ({ id, username }: typeof ada): UserContext => ({
    ...app.context,
    principal: { kind: 'user', userId: id, username, clientId: null, scopes },
  })

  return {
    ...app,
    loadLimit,
    ada,
    bob,
    userToken: token,
    applicationToken: application,
    as,
    say: (content: string, room = ada) => sendMessage(as(room), { room_name: room.username, content }),

    /** A page of the feed: what was said, and the address of the next one. */
    async page(path: string, credential = token) {
      const reply = await app.request(`GET ${path}`, { token: credential })
      expect(reply.status, reply.text).toBe(200)
      const next = /<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1] ?? ''
      const cursor = new URLSearchParams(next.split('?')[1]).get('after') ?? ''
      return { ...reply, next, cursor, said: reply.body.data.map(contentOf) }
    },

    /** Status and code of a refusal. */
    async refused(path: string, credential: string) {
      const { status, body } = await app.request(`GET ${path}`, { token: credential })
      return [status, body.error?.code]
    },

    stream: (path: string, credential = token, headers: Record<string, string> = {}) =>
      readSse(`${app.base}${path}`, { authorization: `Bearer ${credential}`, ...headers }),
  }
}

/** What was said, of an event of chat. */
export const contentOf = (event: { data: { content?: string } }) => event.data.content
