import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { updateChannel } from '../../src/domain/channels.ts'
import { deleteMessage, sendMessage } from '../../src/domain/chat.ts'
import { sampleData } from '../../src/domain/events/sample.ts'
import { subscribableTypes } from '../../src/domain/events/types.ts'
import { endLivestream, startLivestream, updateLivestream } from '../../src/domain/livestreams.ts'
import { createBan, removeBan } from '../../src/domain/moderation.ts'
import { testSubscription } from '../../src/domain/webhooks/deliveries/test-delivery.ts'
import { serve } from './support/serve.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
  await using service = await serve(stage.context)
  published = (await (await fetch(`${service.base}/events/schemas.json`)).json()) as typeof published
})
afterAll(() => stage[Symbol.asyncDispose]())

const judge = new Ajv2020({ strict: false, validateFormats: false })
let published: Record<string, object>
/** The schemas as the service publishes them: payloads are validated against these. */
const complaints = (type: string, payload: unknown) => {
  const schema = published[type]
  if (!schema) throw new Error(`There is no schema of ${type}`)
  judge.validate(schema, payload)
  return judge.errors ?? []
}

test('every type is emitted by its cause, in the order of the causes, and validates against its published schema', async () => {
  const { as, user, receiver } = await stage.scene(undefined, { types: subscribableTypes })
  const other = await stage.user('troll')
  await startLivestream(as, { title: 'Live' })
  await updateLivestream(as, { title: 'Still live' })
  const { id } = await sendMessage(as, { room_name: user.username, content: 'hi' })
  await deleteMessage(as, id)
  await createBan(as, { user_id: other.id })
  await removeBan(as, { user_id: other.id })
  await updateChannel(as, { bio: 'New' })
  await endLivestream(as)
  await stage.work()
  const events = receiver.requests.map(({ event }) => event).toSorted((a, b) => a.sequence - b.sequence)
  expect(events.map(({ type }) => type)).toEqual([
    'livestream.started',
    'livestream.updated',
    'chat.message.sent',
    'chat.message.deleted',
    'moderation.ban.created',
    'moderation.ban.removed',
    'channel.updated',
    'livestream.ended',
  ])
  expect(events.map(({ type }) => type).toSorted()).toEqual(subscribableTypes.toSorted())
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  for (const event of events) {
    expect(event.channel).toEqual(user)
    expect(complaints(event.type, event), event.type).toEqual([])
  }
})

test('what is no event of its type does not validate: the schemas say something', () => {
  const event = { type: 'chat.message.sent', id: 'evt_x', timestamp: 'now', channel: user, sequence: 1, data: {} }
  expect(Object.keys(published).toSorted()).toEqual([...subscribableTypes, 'webhook.test'].toSorted())
  expect(complaints('chat.message.sent', event)).not.toEqual([])
  expect(complaints('webhook.test', { ...event, data: { message: 'x' } })).not.toEqual([])
})

test('the test notice, and the sample of each type, validate too', async () => {
  const { id, receiver } = await stage.scene()
  await testSubscription(stage.asOwner(), { id })
  expect(complaints('webhook.test', receiver.requests[0]?.event)).toEqual([])
  for (const type of subscribableTypes) {
    const event = { id: 'evt_x', type, timestamp: '2026-01-02T03:04:05.678Z', channel: user, sequence: 0 }
    expect(complaints(type, { ...event, data: sampleData(type) }), type).toEqual([])
  }
})

const user = { id: 'usr_x', username: 'ada' }
