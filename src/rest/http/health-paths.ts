const HEALTH = /^\/health(?<ready>\/ready)?\/?(?:\?|$)/

/**
 * What a request asks after the health of the process, if it asks that. Such a request takes no place: whoever watches the
 * process has an answer whatever the others do. Nothing else below `/health` is let in like this.
 */
export function healthAskedAt(url: string): 'live' | 'ready' | undefined {
  const asked = url.startsWith('/health') ? HEALTH.exec(url) : null
  return asked ? (asked.groups?.ready === undefined ? 'live' : 'ready') : undefined
}
