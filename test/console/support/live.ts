import type { UserContext } from '../../../src/domain/core/context.ts'
import { scopes } from '../../../src/domain/core/scopes.ts'
import { createLiveApp } from '../../support/app.ts'
import { openStream } from './stream.ts'

/** The service with two channels, whose live streams at /trpc are watched with a token of the first one's user. */
export async function createWatchApp() {
  const app = await createLiveApp()
  const [ada, bob] = [await app.user('ada'), await app.user('bob')]
  const userToken = await app.token(scopes, { user: ada })
  return {
    ...app,
    ada,
    bob,
    userToken,
    as: ({ id, username }: typeof ada): UserContext => ({
      ...app.context,
      principal: { kind: 'user', userId: id, username, clientId: null, scopes },
    }),
    watch: (procedure: string, input: object, credential = userToken) =>
      openStream(`${app.base}/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`, {
        authorization: `Bearer ${credential}`,
      }),
  }
}

/** A stream begins with 200, so a refusal comes in it. */
export const refusal = (code: string) => ({ data: { problem: { code } } })
