import { showLive } from './view.ts'

export const STARTED = 'livestream.started'
export const STOPPED = 'livestream.ended'

/** A day less than events are kept for. */
const BACK_MS = 29 * 24 * 3_600_000
const PAGES_MAX = 50

let isKnown = false

/** Shows what an event says of whether the channel is live. */
export function tellStatus(type: string): void {
  isKnown = true
  showLive(type === STARTED)
}

/**
 * Finds out by the last start or end of a stream whether the channel is live, unless an event says it first. Shows nothing where
 * the key was not made for both.
 */
export async function lookUpStatus(key: string): Promise<void> {
  isKnown = false
  const last = await lastOf(key).catch(() => undefined)
  if (last !== undefined && !isKnown) showLive(last === STARTED)
}

/** The type of the last start or end; '' where there was none, undefined where the key may not know. */
async function lastOf(key: string): Promise<string | undefined> {
  const since = new Date(Date.now() - BACK_MS).toISOString()
  let next: string | undefined = `/v1/events?${new URLSearchParams({ key, types: `${STARTED},${STOPPED}`, since })}`
  let last = ''
  for (let page = 0; next !== undefined && page < PAGES_MAX; page++) {
    const response: Response = await fetch(next, { referrerPolicy: 'no-referrer' })
    if (!response.ok) return undefined
    const { data } = (await response.json()) as { data: { type: string }[] }
    last = data.at(-1)?.type ?? last
    next = data.length === 0 ? undefined : nextIn(response, key)
  }
  return last
}

/** The same question from there on. */
function nextIn(response: Response, key: string): string | undefined {
  const after = /[?&]after=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1]
  const query = new URLSearchParams({ key, types: `${STARTED},${STOPPED}` })
  return after && `/v1/events?${query}&after=${after}`
}
