import { Webhook } from 'standardwebhooks'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { SignatureError, webhooks } from '../../sdk/typescript/src/index.ts'
import { sampleEvent } from '../../src/domain/events/sample-event.ts'

const at = new Date('2026-01-02T03:04:05Z')
const secretOf = (letter: string) => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`
const [secret, other] = [secretOf('a'), secretOf('b')]
const { id, payload } = sampleEvent('chat.message.sent', at)
const options = { now: at.getTime() }

/** Signed by the library of the standard, not by ours. */
function delivery(body = payload, by = secret, time = at) {
  const signature = new Webhook(by).sign(id, time, body)
  return { 'webhook-id': id, 'webhook-timestamp': String(time.getTime() / 1_000), 'webhook-signature': signature }
}

describe('webhooks.unwrap', () => {
  test('returns the event, whose type says what its data is', async () => {
    const event = await webhooks.unwrap(secret, delivery(), payload, options)
    if (event.type !== 'chat.message.sent') throw new Error('another type')
    expectTypeOf(event.data.content).toEqualTypeOf<string>()
    expect(event).toEqual(JSON.parse(payload))
  })

  test('takes headers and bodies as every platform has them', async () => {
    const headers = delivery()
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    for (const given of [headers, new Headers(headers), upper])
      for (const body of [payload, new TextEncoder().encode(payload)])
        expect((await webhooks.unwrap(secret, given, body, options)).id).toBe(id)
  })

  test('takes two secrets, and two signatures, during a rotation', async () => {
    const both = {
      ...delivery(),
      'webhook-signature': `v1a,x ${delivery(payload, other)['webhook-signature']} ${delivery()['webhook-signature']}`,
    }
    for (const secrets of [secret, other, [other, secret]])
      expect((await webhooks.unwrap(secrets, both, payload, options)).id).toBe(id)
    expect((await webhooks.unwrap([other, secret], delivery(), payload, options)).id).toBe(id)
  })

  test.each([
    ['another secret', () => delivery(payload, other), payload],
    ['another body', () => delivery(), `${payload} `],
    ['another id', () => ({ ...delivery(), 'webhook-id': 'evt_other' }), payload],
    ['a time before', () => delivery(payload, secret, new Date(at.getTime() - 301_000)), payload],
    ['a time to come', () => delivery(payload, secret, new Date(at.getTime() + 301_000)), payload],
    ['a changed time', () => ({ ...delivery(), 'webhook-timestamp': String(at.getTime() / 1_000 + 1) }), payload],
    ['a time that is none', () => ({ ...delivery(), 'webhook-timestamp': 'NaN' }), payload],
    ['no signature', () => ({ ...delivery(), 'webhook-signature': '' }), payload],
    ['a signature of nothing', () => ({ ...delivery(), 'webhook-signature': 'v1,' }), payload],
    ['a signature that is no base64', () => ({ ...delivery(), 'webhook-signature': 'v1,%%%' }), payload],
    ['no JSON', () => delivery('text'), 'text'],
  ])('refuses %s', async (_, headers, body) => {
    await expect(webhooks.unwrap(secret, headers(), body, options)).rejects.toThrow(SignatureError)
  })

  test('takes no secret for one that is empty', async () => {
    await expect(webhooks.unwrap('whsec_', delivery(), payload, options)).rejects.toThrow(TypeError)
  })
})
