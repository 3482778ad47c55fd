import { createHmac } from 'node:crypto'
import { type SignedHead, sign, signingKey, verify } from './sign.ts'

export type Diagnosis = {
  valid: boolean
  /** One sentence: that all is well, or the mistake that was made. */
  reason: string
}

const TOLERANCE_S = 300

/** Verifies a delivery as a receiver does. When that fails, names the common mistake that explains it, if one does. */
export function diagnose(secret: string, head: SignedHead, body: Buffer, nowS: number): Diagnosis {
  const key = readKey(secret)
  if (!key) {
    return wrong(
      'The secret is not "whsec_" and base64: copy it whole, as it was shown when the subscription was made.',
    )
  }
  if (verify(secret, head, body, nowS)) return { valid: true, reason: 'The signature is right and the time is near.' }
  const timestampS = Number(head.timestamp)
  if (!Number.isInteger(timestampS)) return wrong('webhook-timestamp is no whole number of seconds since 1970.')
  if (verify(secret, head, body, timestampS)) return wrong(clockMistake(nowS - timestampS))
  const mistake = mistakes.find(({ isIt }) => isIt({ secret, key, head, timestampS, body }))
  if (!mistake) return wrong(OTHER_SECRET)
  const ageS = nowS - timestampS
  return wrong(Math.abs(ageS) > TOLERANCE_S ? `${mistake.reason} Besides, ${untimely(ageS)}.` : mistake.reason)
}

const wrong = (reason: string): Diagnosis => ({ valid: false, reason })

const OTHER_SECRET =
  'Nothing fits: the secret belongs to another subscription, or the body is not the bytes that were received.'

function clockMistake(ageS: number): string {
  return `The signature is right, but ${untimely(ageS)}: this is a replay, or a clock is wrong.`
}

function untimely(ageS: number): string {
  const direction = ageS > 0 ? 'old' : 'in the future'
  return `it is ${Math.abs(Math.round(ageS))} s ${direction}, and ${TOLERANCE_S} s are allowed`
}

type PresentedDelivery = { secret: string; key: Buffer; head: SignedHead; timestampS: number; body: Buffer }

const mistakes: { reason: string; isIt: (given: PresentedDelivery) => boolean }[] = [
  {
    reason: 'webhook-signature lacks the "v1," before the signature: pass the header on whole.',
    isIt: ({ key, head, timestampS, body }) => isSignedAs(`v1,${head.signature}`, key, head.id, timestampS, body),
  },
  {
    reason:
      'The body has white space around it that was not sent, as an editor or echo adds: verify the bytes as they were received.',
    isIt: ({ key, head, timestampS, body }) =>
      isSignedAs(head.signature, key, head.id, timestampS, Buffer.from(body.toString('utf8').trim())),
  },
  {
    reason: 'The body was parsed and written again: verify the bytes as they were received.',
    isIt: ({ key, head, timestampS, body }) =>
      isSignedAs(head.signature, key, head.id, timestampS, Buffer.from(rewritten(body))),
  },
  {
    reason: 'The signature was made with the text of the secret: the key is what its base64 decodes to.',
    isIt: ({ secret, head, timestampS, body }) =>
      [secret, secret.slice('whsec_'.length)].some((text) =>
        isSignedAs(head.signature, Buffer.from(text), head.id, timestampS, body),
      ),
  },
  {
    reason: 'Only the body was signed: the text is "id.timestamp.body".',
    isIt: ({ key, head, body }) =>
      head.signature.split(' ').includes(`v1,${createHmac('sha256', key).update(body).digest('base64')}`),
  },
]

const isSignedAs = (signature: string, key: Buffer, id: string, timestampS: number, body: Buffer) =>
  signature.split(' ').includes(sign([key], id, timestampS, body))

/** The body as it is when a framework has parsed it and it was serialised again. */
function rewritten(body: Buffer): string {
  const text = body.toString('utf8')
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

function readKey(secret: string): Buffer | undefined {
  try {
    return signingKey(secret)
  } catch {
    return undefined
  }
}
