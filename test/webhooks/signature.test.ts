import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { newSigningSecret, sign, signingKey, verify } from '../../src/domain/webhooks/secrets/sign.ts'

const id = 'evt_01kdyak3smes3b2cbbsxw14wnj'
const body = Buffer.from(JSON.stringify({ id, data: { content: 'héllo 👩‍👩‍👧‍👦 \u2028 "q" \\ \ud800' } }))
const nowS = () => Math.floor(Date.now() / 1000)

function headers(secrets: string[], timestampS = nowS()) {
  const signature = sign(secrets.map(signingKey), id, timestampS, body)
  return { 'webhook-id': id, 'webhook-timestamp': String(timestampS), 'webhook-signature': signature }
}
/** The libraries that receivers use. */
const libraries = { standardwebhooks: Webhook, svix: SvixWebhook }
const isAccepted = (secret: string, given: ReturnType<typeof headers>, text: string | Buffer = body) => {
  try {
    new Webhook(secret).verify(text, given)
    return true
  } catch {
    return false
  }
}

describe('the library that receivers use', () => {
  test('accepts what we sign, and signs the same', () => {
    const secret = newSigningSecret()
    const given = headers([secret])
    expect(isAccepted(secret, given)).toBe(true)
    const theirs = new Webhook(secret).sign(id, new Date(Number(given['webhook-timestamp']) * 1000), body.toString())
    expect(theirs).toBe(given['webhook-signature'])
  })

  test.each(Object.entries(libraries))('%s accepts it, and nothing that was changed', (_name, Library) => {
    const secret = newSigningSecret()
    const given = headers([newSigningSecret(), secret])
    const verify = (text: string, changed = {}) => new Library(secret).verify(text, { ...given, ...changed })
    expect(verify(body.toString())).toEqual(JSON.parse(body.toString()))
    expect(() => verify(`${body} `)).toThrow()
    expect(() => verify(body.toString(), { 'webhook-id': 'evt_other' })).toThrow()
    expect(() => verify(body.toString(), { 'webhook-timestamp': String(nowS() - 301) })).toThrow()
  })

  test('accepts either secret while a rotation overlaps, and no third', () => {
    const [current, old] = [newSigningSecret(), newSigningSecret()]
    const given = headers([current, old])
    expect([current, old, newSigningSecret()].map((secret) => isAccepted(secret, given))).toEqual([true, true, false])
  })

  test('refuses a changed body, one that was parsed and serialised again, and a clock off by more than 300 s', () => {
    const secret = newSigningSecret()
    expect(isAccepted(secret, headers([secret]), `${body} `)).toBe(false)
    expect(isAccepted(secret, headers([secret]), JSON.stringify(JSON.parse(body.toString()), null, 1))).toBe(false)
    for (const off of [-310, 310]) expect(isAccepted(secret, headers([secret], nowS() + off))).toBe(false)
  })
})

test('our own check agrees with it, for any text, any number of keys and any time', () => {
  const secrets = fc.array(fc.uint8Array({ minLength: 24, maxLength: 64 }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      secrets,
      fc.integer({ min: -400, max: 400 }),
      fc.nat(3),
      (text, keys, off, chosen) => {
        const texts = keys.map((key) => `whsec_${Buffer.from(key).toString('base64')}`)
        const payload = Buffer.from(text)
        const timestampS = nowS() + off
        const signature = sign(texts.map(signingKey), id, timestampS, payload)
        const secret = texts[chosen] ?? newSigningSecret()
        const ours = verify(secret, { id, timestamp: String(timestampS), signature }, payload, nowS())
        expect(ours).toBe(texts.includes(secret) && Math.abs(off) <= 300)
      },
    ),
    { numRuns: 200 },
  )
})

test('a secret is `whsec_` and the strict base64 of 24 to 64 bytes; the decoded bytes are the key', () => {
  for (const bytes of [24, 32, 64])
    expect(signingKey(`whsec_${Buffer.alloc(bytes, 7).toString('base64')}`)).toHaveLength(bytes)
  expect(signingKey(newSigningSecret())).toHaveLength(32)
  const base64 = Buffer.alloc(32, 255).toString('base64')
  const wrong = [
    '',
    'whsec_',
    base64,
    `v1,whsec_${base64}`,
    `whsec_${base64} `,
    `whsec_${Buffer.alloc(32, 255).toString('base64url')}`,
  ]
  for (const bytes of [23, 65]) wrong.push(`whsec_${Buffer.alloc(bytes).toString('base64')}`)
  for (const text of wrong) expect(() => signingKey(text), text).toThrow(TypeError)
})
