import { parseUrl } from '../../../domain/core/url.ts'
import { pageAt } from '../table.ts'

const HOME = '/console/'

/**
 * Where to go after a login: `next` if it is one of our own pages, otherwise `fallback`. Judged after parsing, as a browser
 * will parse it: `//host`, `/\host` and a tab in between lead elsewhere.
 */
export function returnPath(next: string, publicUrl: string, fallback = HOME): string {
  const url = next.startsWith('/') ? parseUrl(next, publicUrl) : undefined
  if (!url) return fallback
  const isOurs = url.origin === new URL(publicUrl).origin && pageAt(url.pathname)?.isReturnTarget === true
  return isOurs ? url.pathname + url.search + url.hash : fallback
}
