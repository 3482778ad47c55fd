import { headMistake, secretMistake } from './form-mistakes.ts'
import { type SignedHead, signingKey, verify } from './sign.ts'
import { signatureMistake } from './signature-mistakes.ts'

export type Diagnosis = {
  valid: boolean
  /** One sentence: that all is well, or the mistake that was made. */
  reason: string
}

const TOLERANCE_S = 300

/** Verifies a delivery as a receiver does. When that fails, names the common mistake that explains it, if one does. */
export function diagnose(secret: string, head: SignedHead, body: Buffer, nowS: number): Diagnosis {
  const key = readKey(secret)
  if (!key) return wrong(secretMistake(secret))
  const malformed = headMistake(head)
  if (malformed) return wrong(malformed)
  if (verify(secret, head, body, nowS)) return { valid: true, reason: 'The signature is right and the time is near.' }
  const timestampS = Number(head.timestamp)
  const ageS = nowS - timestampS
  if (verify(secret, head, body, timestampS)) {
    return wrong(`The signature is right, but ${untimely(ageS)}: this is a replay, or a clock is wrong.`)
  }
  const mistake = signatureMistake({ secret, key, head, timestampS, body })
  if (!mistake) return wrong(OTHER_SECRET)
  return wrong(Math.abs(ageS) > TOLERANCE_S ? `${mistake} Besides, ${untimely(ageS)}.` : mistake)
}

const wrong = (reason: string): Diagnosis => ({ valid: false, reason })

const OTHER_SECRET =
  'Nothing fits: the secret belongs to another subscription, or the body is not the bytes that were received.'

function untimely(ageS: number): string {
  const direction = ageS > 0 ? 'old' : 'in the future'
  return `it is ${Math.abs(Math.round(ageS))} s ${direction}, and ${TOLERANCE_S} s are allowed`
}

function readKey(secret: string): Buffer | undefined {
  try {
    return signingKey(secret)
  } catch {
    return undefined
  }
}
