import { EventSource } from 'eventsource'
import { afterAll, expect, expectTypeOf, test } from 'vitest'
import type { RouterInputs, RouterOutputs } from '../../src/client/index.ts'
import { createLiveApp } from '../support/app.ts'
// what was published with the last release, as `npm run pack:client` made it then
import * as released from './released/client-1.mjs'

/** What there is today of all that a released client knows; what is gone is `never`. */
type Still<Old, New> = {
  [Noun in keyof Old]: Noun extends keyof New
    ? { [Verb in keyof Old[Noun]]: Verb extends keyof New[Noun] ? New[Noun][Verb] : never }
    : never
}
/** Enumerations may grow, as the versioning says: what matters is that a text stays a text. */
type Open<Answer> = Answer extends string
  ? string
  : Answer extends number | boolean | null | undefined
    ? Answer
    : Answer extends AsyncIterable<infer Item>
      ? AsyncIterable<Open<Item>>
      : { [Field in keyof Answer]: Open<Answer[Field]> }

const app = await createLiveApp()
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')
const credential = await app.token(['chat:read', 'chat:write', 'channel:read', 'user:read'], { user: ada })

test('what a released client sends is taken, and what it is answered is what it knows', () => {
  expectTypeOf<released.RouterInputs>().toExtend<Still<released.RouterInputs, RouterInputs>>()
  expectTypeOf<Open<Still<released.RouterOutputs, RouterOutputs>>>().toExtend<Open<released.RouterOutputs>>()
})

test('a released client reads, writes and is refused as it was', async () => {
  const client = released.createClient({ baseUrl: app.base, credential })
  const sent = await client.chat.send.mutate({ room_name: 'ada', content: 'from 1.0.0' })
  expect(await client.chat.list.query({ room_name: 'ada' })).toMatchObject({ items: [{ id: sent.id }], next: null })
  const calls = [client.channels.get.query({ slug: 'ada' }), client.users.me.query({}), client.health.live.query({})]
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'))
  const refusal = await client.channels.get.query({ slug: 'nobody' }).catch((error: unknown) => error)
  expect(released.problemOf(refusal)).toMatchObject({ code: 'channel_not_found' })
})

test('a released client watches a room, and goes on where it was cut off', async () => {
  const client = released.createClient({ baseUrl: app.base, credential, EventSource })
  const heard = new EventTarget()
  const next = (type: string) => new Promise((resolve) => heard.addEventListener(type, resolve, { once: true }))
  const seen: string[] = []
  // no other connection is cut: `fetch` would send the next call into one that it has not seen end
  let cut = () => {}
  app.server.on('request', ({ url = '', socket }) => {
    if (url.startsWith('/trpc/chat.watch')) cut = () => socket.destroy()
  })
  const started = next('started')
  const watch = client.chat.watch.subscribe(
    { room_name: 'ada' },
    {
      onStarted: () => heard.dispatchEvent(new Event('started')),
      onData: ({ data: { change, message } }) => {
        seen.push(`${change} ${message.content}`)
        heard.dispatchEvent(new Event('message'))
      },
    },
  )
  await started
  for (const content of ['one', 'two']) {
    const message = next('message')
    await client.chat.send.mutate({ room_name: 'ada', content })
    await message
    cut()
  }
  watch.unsubscribe()
  expect(seen).toEqual(['sent one', 'sent two'])
})
