import { createHmac, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { diagnose } from '../../src/domain/webhooks/secrets/diagnose.ts'

const bytes = Buffer.alloc(32, 7)
const secret = `whsec_${bytes.toString('base64')}`
const body = '{"id": "evt_1", "type": "chat.message.sent",\n "data": {"content": "é"}}'
const nowS = 1_767_323_050
const timestampS = nowS - 5

function headOf(signed: string, { timestamp = timestampS, key = bytes as Buffer | string } = {}) {
  const digest = createHmac('sha256', key).update(`evt_1.${timestamp}.${signed}`).digest('base64')
  return { id: 'evt_1', timestamp: String(timestamp), signature: `v1,${digest}` }
}
const judge = (head: ReturnType<typeof headOf>, { given = secret, text = body } = {}) =>
  diagnose(given, head, Buffer.from(text), nowS)

test('what the library of the standard signs is valid', () => {
  const signature = new Webhook(secret).sign('evt_1', new Date(timestampS * 1000), body)
  expect(judge({ id: 'evt_1', timestamp: String(timestampS), signature })).toMatchObject({ valid: true })
})

test('one right signature among several is enough', () => {
  const { signature, ...head } = headOf(body)
  expect(judge({ ...head, signature: `v1,${'A'.repeat(43)}= ${signature}` })).toMatchObject({ valid: true })
})

const data = JSON.stringify(JSON.parse(body).data)
const digestOf = (text: string) => createHmac('sha256', bytes).update(text).digest('base64')
const { signature } = headOf(body)
const hex = Buffer.from(signature.slice(3), 'base64').toString('hex')
const slashed = `v1,${Buffer.alloc(32, 0xff).toString('base64url')}`

describe('a mistake is named', () => {
  const rewritten = JSON.stringify(JSON.parse(body))
  test.each([
    ['the body was parsed and written again', judge(headOf(body), { text: rewritten }), /signature|body/i],
    ['the body was written again before it was signed', judge(headOf(rewritten)), /parsed and written again/],
    ['a newline was added by an editor', judge(headOf(body), { text: `${body}\n` }), /white space around it/],
    ['a byte order mark was', judge(headOf(body), { text: `\ufeff${body}` }), /white space around it/],
    ['the body was consumed before', judge(headOf(body), { text: '' }), /body is empty/],
    ['the body is data alone', judge(headOf(body), { text: data }), /`data` of an event alone/],
    ['data alone was signed', judge(headOf(data)), /Only the `data`/],
    [
      'data alone was signed, without a head',
      judge({ ...headOf(body), signature: `v1,${digestOf(data)}` }),
      /Only the `data`/,
    ],
    ['the text of the secret was the key', judge(headOf(body, { key: secret })), /text of the secret/],
    ['the secret without its prefix was the key', judge(headOf(body, { key: secret.slice(6) })), /text of the secret/],
    ['the clock is behind', judge(headOf(body, { timestamp: nowS + 400 })), /400 s in the future/],
    [
      'the body was written again, and the delivery is old',
      judge(headOf(rewritten, { timestamp: nowS - 4000 })),
      /written again.* it is 4000 s old, and 300 s are allowed/,
    ],
    ['the delivery is old', judge(headOf(body, { timestamp: nowS - 4000 })), /4000 s old/],
    [
      'it is the secret of another subscription',
      judge(headOf(body, { key: Buffer.alloc(32, 8) })),
      /another subscription/,
    ],
    ['only the body was signed', judge({ ...headOf(body), signature: `v1,${digestOf(body)}` }), /Only the body/],
  ])('%s', (_, { valid, reason }, pattern) => {
    expect(valid).toBe(false)
    expect(reason).toMatch(pattern)
  })

  test.each([
    ['a "v1," before it', `v1,${secret}`, /begins with "v1,"/],
    ['nothing', '', /secret is empty/],
    ['a newline behind it', `${secret}\n`, /white space or a newline/],
    ['the signature', signature, /This is a signature/],
    ['an API key', 'lsk_0123456789', /of an application/],
    ['hexadecimal', bytes.toString('hex'), /secret is in hexadecimal/],
    ['hexadecimal behind the prefix', `whsec_${bytes.toString('hex')}`, /secret is in hexadecimal/],
    ['the base64 of addresses', `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}`, /base64 of addresses/],
    ['no prefix', secret.slice(6), /lacks the "whsec_"/],
    ['half of it', secret.slice(0, 20), /copy it whole/],
  ])('the secret is or has %s', (_, given, pattern) => {
    const { valid, reason } = judge(headOf(body), { given })
    expect([valid, reason]).toEqual([false, expect.stringMatching(pattern)])
  })

  test.each([
    ['id', 'nothing', '', /webhook-id is empty/],
    ['id', 'a newline', 'evt_1\n', /webhook-id has white space/],
    ['id', 'that of the subscription', 'sub_1', /identifier of the subscription/],
    ['id', 'that of the delivery', 'dlv_1', /identifier of the delivery/],
    ['id', 'another', 'evt_2', /webhook-id is "evt_2", and the event in the body is "evt_1"/],
    ['timestamp', 'nothing', '', /webhook-timestamp is empty/],
    ['timestamp', 'a newline', `${timestampS}\n`, /webhook-timestamp has white space/],
    ['timestamp', 'milliseconds', `${timestampS}000`, /in milliseconds/],
    ['timestamp', 'that of the event', '2026-01-02T03:04:05.678Z', /is a date/],
    ['timestamp', 'words', 'yesterday', /no whole number/],
    ['timestamp', 'a number of another form', '1.767e9', /no whole number/],
    ['signature', 'nothing', '', /webhook-signature is empty/],
    ['signature', 'a newline', `${signature}\r\n`, /webhook-signature has white space/],
    ['signature', 'no "v1,"', signature.slice(3), /lacks the "v1,"/],
    ['signature', 'hexadecimal', `v1,${hex}`, /hexadecimal/],
    ['signature', 'hexadecimal as elsewhere', `sha256=${hex}`, /hexadecimal/],
    ['signature', 'an equals sign', signature.replace(',', '='), /with a comma/],
    ['signature', 'commas between', `${slashed}=,${signature}`, /separated by spaces/],
    ['signature', 'a comma and a space between', `${signature}, ${signature}`, /separated by spaces/],
    ['signature', 'no padding', signature.slice(0, -1), /lacks its padding/],
    ['signature', 'the base64 of addresses', `${slashed}=`, /base64 of addresses/],
    ['signature', 'one of a public key', `v1a,${digestOf('x')}${digestOf('y')}`, /public key/],
    ['signature', 'the secret', `v1,${secret}`, /holds the secret/],
  ])('the header webhook-%s has %s', (name, _, value, pattern) => {
    const { valid, reason } = judge({ ...headOf(body), [name]: value })
    expect([valid, reason]).toEqual([false, expect.stringMatching(pattern)])
  })

  test('and nothing of it is said of what is right, whatever the key', () => {
    for (let n = 0; n < 200; n++) {
      const key = randomBytes(32)
      const head = headOf(body, { key })
      expect(judge(head, { given: `whsec_${key.toString('base64')}` })).toMatchObject({ valid: true })
      expect(
        judge(
          { ...head, signature: `v1,${randomBytes(32).toString('base64')} ${head.signature}` },
          { given: `whsec_${key.toString('base64')}` },
        ).valid,
      ).toBe(true)
    }
  })
})
