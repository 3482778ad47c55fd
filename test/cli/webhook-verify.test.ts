import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { diagnose } from '../../src/domain/webhooks/secrets/diagnose.ts'

const bytes = Buffer.alloc(32, 7)
const secret = `whsec_${bytes.toString('base64')}`
const body = '{"b": 1,\n "a": [true]}'
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

describe('a mistake is named', () => {
  const rewritten = JSON.stringify(JSON.parse(body))
  test.each([
    ['the body was parsed and written again', judge(headOf(body), { text: rewritten }), /signature|body/i],
    ['the body was written again before it was signed', judge(headOf(rewritten)), /parsed and written again/],
    ['a newline was added by an editor', judge(headOf(body), { text: `${body}\n` }), /white space around it/],
    ['the text of the secret was the key', judge(headOf(body, { key: secret })), /text of the secret/],
    ['the secret without its prefix was the key', judge(headOf(body, { key: secret.slice(6) })), /text of the secret/],
    ['the secret bears a "v1,"', judge(headOf(body), { given: `v1,${secret}` }), /not "whsec_" and base64/],
    [
      'the header lost its "v1,"',
      judge({ ...headOf(body), signature: headOf(body).signature.slice(3) }),
      /lacks the "v1,"/,
    ],
    ['the clock is behind', judge(headOf(body, { timestamp: nowS + 400 })), /400 s in the future/],
    [
      'the body was written again, and the delivery is old',
      judge(headOf(rewritten, { timestamp: nowS - 4000 })),
      /written again.* it is 4000 s old, and 300 s are allowed/,
    ],
    ['the delivery is old', judge(headOf(body, { timestamp: nowS - 4000 })), /4000 s old/],
    ['the time is no number', judge({ ...headOf(body), timestamp: 'yesterday' }), /webhook-timestamp/],
    [
      'it is the secret of another subscription',
      judge(headOf(body, { key: Buffer.alloc(32, 8) })),
      /another subscription/,
    ],
    [
      'only the body was signed',
      judge({ ...headOf(body), signature: `v1,${createHmac('sha256', bytes).update(body).digest('base64')}` }),
      /Only the body/,
    ],
  ])('%s', (_, { valid, reason }, pattern) => {
    expect(valid).toBe(false)
    expect(reason).toMatch(pattern)
  })
})
