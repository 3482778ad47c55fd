import { createHmac } from 'node:crypto'
import { type SignedHead, sign } from './sign.ts'

type PresentedDelivery = { secret: string; key: Buffer; head: SignedHead; timestampS: number; body: Buffer }

/** The mistake by which what was signed is not what is presented; undefined when none of the usual ones explains it. */
export function signatureMistake(delivery: PresentedDelivery): string | undefined {
  return mistakes.find(({ isIt }) => isIt(delivery))?.reason(delivery)
}

const mistakes: { reason: (delivery: PresentedDelivery) => string; isIt: (delivery: PresentedDelivery) => boolean }[] =
  [
    {
      reason: () => 'webhook-signature lacks the "v1," before the signature: pass the header on whole.',
      isIt: ({ key, head, timestampS, body }) => isSignedAs(`v1,${head.signature}`, key, head.id, timestampS, body),
    },
    {
      reason: () => 'The secret is in hexadecimal behind "whsec_": it is base64.', // and hexadecimal looks like base64
      isIt: ({ secret }) => /^whsec_[0-9a-f]{64}$/i.test(secret),
    },
    {
      reason: () => 'The body is empty: verify the bytes as they were received, before anything else reads them.',
      isIt: ({ body }) => body.length === 0,
    },
    {
      reason: () =>
        'The body has white space around it that was not sent, as an editor or echo adds: verify the bytes as they were received.',
      isIt: ({ key, head, timestampS, body }) =>
        isSignedAs(head.signature, key, head.id, timestampS, Buffer.from(body.toString('utf8').trim())),
    },
    {
      reason: () => 'The body was parsed and written again: verify the bytes as they were received.',
      isIt: ({ key, head, timestampS, body }) =>
        isSignedAs(head.signature, key, head.id, timestampS, Buffer.from(rewritten(body))),
    },
    {
      reason: () => 'The signature was made with the text of the secret: the key is what its base64 decodes to.',
      isIt: ({ secret, head, timestampS, body }) =>
        [secret, secret.slice('whsec_'.length)].some((text) =>
          isSignedAs(head.signature, Buffer.from(text), head.id, timestampS, body),
        ),
    },
    {
      reason: () => 'Only the body was signed: the text is "id.timestamp.body".',
      isIt: ({ key, head, body }) => isDigestOf(head.signature, key, body),
    },
    {
      reason: () => 'Only the `data` of the event was signed: the body is the whole event.',
      isIt: ({ key, head, timestampS, body }) => {
        const data = Buffer.from(JSON.stringify(eventIn(body)?.data) ?? '')
        return isSignedAs(head.signature, key, head.id, timestampS, data) || isDigestOf(head.signature, key, data)
      },
    },
    {
      reason: () => 'The body is the `data` of an event alone: verify the whole body, as it was received.',
      isIt: ({ body }) => {
        const event = eventIn(body)
        return event !== undefined && !('type' in event && 'data' in event)
      },
    },
    {
      reason: ({ head, body }) =>
        `webhook-id is "${clipped(head.id)}", and the event in the body is "${clipped(eventIn(body)?.id)}".`,
      isIt: ({ head, body }) => {
        const event = eventIn(body)
        return event !== undefined && 'id' in event && event.id !== head.id
      },
    },
  ]

const isSignedAs = (signature: string, key: Buffer, id: string, timestampS: number, body: Buffer) =>
  signature.split(' ').includes(sign([key], id, timestampS, body))

const isDigestOf = (signature: string, key: Buffer, body: Buffer) =>
  signature.split(' ').includes(`v1,${createHmac('sha256', key).update(body).digest('base64')}`)

const clipped = (id: unknown): string => String(id).slice(0, 40)

/** The body as it is when a framework has parsed it and it was serialised again. */
function rewritten(body: Buffer): string {
  const text = body.toString('utf8')
  return JSON.stringify(parsed(text)) ?? text
}

function eventIn(body: Buffer): Record<string, unknown> | undefined {
  const value = parsed(body.toString('utf8'))
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
