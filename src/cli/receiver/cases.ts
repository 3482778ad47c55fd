import { sampleEvent } from '../../domain/events/sample-event.ts'
import { newSigningSecret, sign, signingKey } from '../../domain/webhooks/secrets/sign.ts'
import { postTo, type ReceiverPost, type ReceiverReply } from './post.ts'

/** Where the guide says what a case asks for: a heading of docs/guides/webhooks.md. */
type GuideSection = 'verifying' | 'writing-a-receiver' | 'what-we-promise' | 'a-delivery'

/** What a receiver must do with deliveries that are ours, or not. */
type Wanted = 'taken' | 'refused' | 'any answer'

type ReceiverCase = {
  name: string
  wanted: Wanted
  /** What goes wrong in a receiver that fails here. */
  fault: string
  guide: GuideSection
  posts: (secret: string, now: Date) => ReceiverPost[]
}

export type Grade = { name: string; passed: boolean; reason: string; guide: GuideSection }

const TYPE = 'application/json; charset=utf-8'
const LARGEST_BYTES = 64 * 1024
const MINUTE_MS = 60_000

type Changes = {
  at?: Date
  keys?: readonly Buffer[]
  /** Changes the payload before it is signed. */
  payload?: (event: Record<string, unknown>) => Record<string, unknown>
  contentType?: string
  isSlow?: boolean
  type?: string
}

/** A delivery of a sample, as the service sends it but for some changes. */
function delivery(secret: string, now: Date, changes: Changes = {}): ReceiverPost {
  const {
    at = now,
    keys = [signingKey(secret)],
    payload = (event) => event,
    contentType = TYPE,
    isSlow = false,
  } = changes
  const sample = sampleEvent('chat.message.sent', now)
  const event = payload(JSON.parse(sample.payload))
  const body = Buffer.from(JSON.stringify(event))
  const timestampS = Math.floor(at.getTime() / 1_000)
  const headers = {
    'content-type': contentType,
    'user-agent': 'developer-api check-receiver',
    'webhook-id': sample.id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': sign(keys, sample.id, timestampS, body),
    'x-event-type': String(event.type),
    'x-subscription-id': 'check',
    'x-delivery-attempt': '1',
  }
  return { headers, body, isSlow }
}

const other = () => signingKey(newSigningSecret())
const without = (post: ReceiverPost, name: string): ReceiverPost => ({
  ...post,
  headers: Object.fromEntries(Object.entries(post.headers).filter(([given]) => given !== name)),
})
const filled = (event: Record<string, unknown>) => {
  const rest = LARGEST_BYTES - Buffer.byteLength(JSON.stringify({ ...event, later: '' }))
  return { ...event, later: 'x'.repeat(rest) }
}

/** The hard cases, in the order in which they are played. */
export const receiverCases: readonly ReceiverCase[] = [
  {
    name: 'a delivery',
    wanted: 'taken',
    fault: 'answer any 2xx within 15 s; a redirect is not followed',
    guide: 'what-we-promise',
    posts: (secret, now) => [delivery(secret, now)],
  },
  {
    name: 'a wrong signature',
    wanted: 'refused',
    fault: 'anybody could send it events: compare the signature, and answer 400',
    guide: 'verifying',
    posts: (secret, now) => [delivery(secret, now, { keys: [other()] })],
  },
  {
    name: 'no signature',
    wanted: 'refused',
    fault: 'anybody could send it events: a header that is missing is a signature that is wrong',
    guide: 'verifying',
    posts: (secret, now) => [without(delivery(secret, now), 'webhook-signature')],
  },
  {
    name: 'a body that was changed',
    wanted: 'refused',
    fault: 'sign the bytes that you received, all of them, and nothing that was parsed and written again',
    guide: 'verifying',
    posts: (secret, now) => {
      const { body, ...post } = delivery(secret, now)
      return [{ ...post, body: Buffer.concat([body, Buffer.from(' ')]) }]
    },
  },
  {
    name: 'an old timestamp',
    wanted: 'refused',
    fault: 'an old delivery can be played again: refuse timestamps more than five minutes away',
    guide: 'verifying',
    posts: (secret, now) => [delivery(secret, now, { at: new Date(now.getTime() - 10 * MINUTE_MS) })],
  },
  {
    name: 'two signatures, as during a rotation',
    wanted: 'taken',
    fault: 'one signature that fits is enough, wherever it stands among them',
    guide: 'verifying',
    posts: (secret, now) => {
      const [one, two] = [signingKey(secret), other()]
      return [delivery(secret, now, { keys: [one, two] }), delivery(secret, now, { keys: [two, one] })]
    },
  },
  {
    name: 'a duplicate',
    wanted: 'taken',
    fault: 'the same event may come again: answer 2xx, and do nothing twice',
    guide: 'writing-a-receiver',
    posts: (secret, now) => {
      const post = delivery(secret, now)
      return [post, post]
    },
  },
  {
    name: 'events out of order',
    wanted: 'taken',
    fault: 'order events by `sequence`; one that comes late is none to refuse',
    guide: 'writing-a-receiver',
    posts: (secret, now) =>
      [2, 1].map((sequence) => delivery(secret, now, { payload: (event) => ({ ...event, sequence }) })),
  },
  {
    name: 'a type that is not known yet',
    wanted: 'taken',
    fault: 'ignore types and fields that you do not know, and answer 2xx',
    guide: 'a-delivery',
    posts: (secret, now) => [delivery(secret, now, { payload: (event) => ({ ...event, type: 'channel.raided' }) })],
  },
  {
    name: '64 KiB',
    wanted: 'taken',
    fault: 'a delivery may have 64 KiB: raise the limit of bodies',
    guide: 'a-delivery',
    posts: (secret, now) => [delivery(secret, now, { payload: filled })],
  },
  {
    name: 'a body that comes slowly',
    wanted: 'taken',
    fault: 'wait for the whole body before you judge it',
    guide: 'a-delivery',
    posts: (secret, now) => [delivery(secret, now, { isSlow: true })],
  },
  {
    name: 'another content type',
    wanted: 'any answer',
    fault: 'what is no JSON by its type may be refused, and must not break the receiver',
    guide: 'verifying',
    posts: (secret, now) => [delivery(secret, now, { contentType: 'text/plain' })],
  },
  {
    name: 'a delivery after all that',
    wanted: 'taken',
    fault: 'what came before has broken it',
    guide: 'writing-a-receiver',
    posts: (secret, now) => [delivery(secret, now)],
  },
]

/** Plays a case, and says whether the receiver did with all of its deliveries what it must. */
export async function playCase(url: string, secret: string, { posts, ...wanting }: ReceiverCase): Promise<Grade> {
  const { name, guide } = wanting
  for (const post of posts(secret, new Date())) {
    const miss = missOf(wanting, await postTo(url, post))
    if (miss) return { name, guide, passed: false, reason: miss }
  }
  return { name, guide, passed: true, reason: words[wanting.wanted] }
}

const words: Record<Wanted, string> = {
  taken: 'was taken',
  refused: 'was refused',
  'any answer': 'was answered',
}

function missOf({ wanted, fault }: Pick<ReceiverCase, 'wanted' | 'fault'>, reply: ReceiverReply): string | undefined {
  if (reply.status === undefined) return `${reply.reason}: ${fault}`
  const { status } = reply
  const isTaken = status >= 200 && status < 300
  const isRight = { taken: isTaken, refused: status >= 400 && status < 500, 'any answer': status < 500 }[wanted]
  return isRight ? undefined : `it answered ${status}: ${fault}`
}
