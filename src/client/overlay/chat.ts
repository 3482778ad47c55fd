import { lookUpStatus, STARTED, STOPPED, tellStatus } from './status.ts'
import { eventsIn, type StreamEvent } from './stream.ts'
import { goDark, hide, type Message, say, show } from './view.ts'

/**
 * The chat of the channel whose overlay key stands in the address, as it is written, and whether the channel is live, until the key
 * has ended. It shows what the key was made for.
 */

/** At least, and at most twice that: overlays that were cut off together do not come back together. */
const AGAIN_MS = 2_000
const SENT = 'chat.message.sent'
const DELETED = 'chat.message.deleted'

const asked = new URLSearchParams(location.search)
const samples: Message[] = [
  { id: 'sample 1', user_name: 'ada', content: 'This is what your chat looks like.' },
  { id: 'sample 2', user_name: 'grace', content: 'New messages come in below.' },
]

const key = asked.get('key') ?? ''

/** Behind which event to go on. */
let seen: string | undefined
let hasEnded = false

function end(reason: string): void {
  hasEnded = true
  goDark(reason)
}

/** Opens the stream and shows what it brings, until it breaks off. */
async function listen(): Promise<void> {
  const response = await fetch(`/v1/events?${new URLSearchParams({ key })}`, {
    headers: { Accept: 'text/event-stream', ...(seen !== undefined && { 'Last-Event-ID': seen }) },
    referrerPolicy: 'no-referrer',
  })
  if (!response.ok || !response.body) return refuse(response)
  say('')
  if (seen === undefined) void lookUpStatus(key)
  for await (const event of eventsIn(response.body)) take(event)
}

function take({ id, type, data }: StreamEvent): void {
  seen = id ?? seen
  if (type === SENT) show(messageIn(data))
  else if (type === DELETED) hide(messageIn(data).id)
  else if (type === STARTED || type === STOPPED) tellStatus(type)
  else if (type === 'end') heed(JSON.parse(data))
}

const messageIn = (payload: string): Message => JSON.parse(payload).data

/** Any other end is the service's own affair: it is asked again. */
function heed({ reason }: { reason: string }): void {
  if (reason === 'revoked') end('This overlay has no access any more: its key was rolled or revoked.')
}

/** What passes, such as too many streams, is asked again. */
async function refuse(response: Response): Promise<void> {
  const { error } = (await response.json().catch(() => ({}))) as { error?: { message: string } }
  if ([400, 401, 403].includes(response.status)) end(error?.message ?? 'This overlay has no access.')
  else if (response.status === 410)
    seen = undefined // it was away for longer than events are kept
  else say(error?.message ?? '')
}

async function run(): Promise<void> {
  while (!hasEnded) {
    await listen().catch(() => {}) // the service is away, or starts again
    if (!hasEnded) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * (1 + Math.random())))
  }
}

if (asked.has('preview')) samples.forEach(show)
if (key === '') end('The address of this overlay has no key: copy it from the studio.')
else void run()
