const asked: Record<string, 'live' | 'ready'> = {
  '/health': 'live',
  '/health/': 'live',
  '/health/ready': 'ready',
  '/health/ready/': 'ready',
}

/**
 * What a request asks after the health of the process, if it asks that. Such a request takes no place: whoever watches the
 * process has an answer whatever the others do. Nothing else below `/health` is let in like this.
 */
export function healthAskedAt(url: string): 'live' | 'ready' | undefined {
  return url.startsWith('/health') ? (asked[url] ?? asked[url.split('?', 1)[0] ?? '']) : undefined
}
