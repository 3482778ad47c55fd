import type { IncomingMessage } from 'node:http'
import type { AnyProcedure } from '@trpc/server'
import { appRouter } from '../../routers/index.ts'

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyProcedure>)
const streams = new Set(procedures.filter(([, { _def }]) => _def.type === 'subscription').map(([name]) => name))

/**
 * What a call to /trpc is for: all that follows, percent-encoded. tRPC is told it instead of finding it by itself, so that
 * it serves the procedure which was judged here.
 */
export function calledNameIn(url: string): string {
  return /^\/trpc\/([^?#]*)/.exec(url)?.[1] ?? ''
}

/** Whether a request opens a stream, by the procedure that it names: what it accepts is only its caller's word. */
export const isStreamCall = (method: string, url: string): boolean => method === 'GET' && namesStream(url)

/** Whether a call to /trpc is for a procedure that answers with a stream. */
export const namesStream = (url: string): boolean => url.startsWith('/trpc/') && streams.has(decoded(calledNameIn(url)))

/** Whether a request for the feed stays open: as a stream, or because it waits. Its HEAD never does. */
export function isOpenFeed({ method = '', url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' || !/^\/v1\/events\/?(?:\?|$)/.test(url)) return false
  return prefersStream(headers.accept) || /[?&]wait=0*[1-9]/.test(url)
}

/** Whether a stream of events is wanted rather than JSON: by the first of the two that is accepted. */
export function prefersStream(accept = ''): boolean {
  const types = accept
    .toLowerCase()
    .split(',')
    .filter((type) => !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(type))
  const first = types.map((type) => type.replace(/;.*/s, '').trim()).find((type) => type in answers)
  return first !== undefined && answers[first] === true
}

const answers: Record<string, boolean> = { 'text/event-stream': true, 'application/json': false }

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name // names nothing
  }
}
