import { pageAt } from '../table.ts'

const HOME = '/console/'

/**
 * Where to go after a login: `next` if it is one of our own pages, otherwise `fallback`. Judged after parsing, as a browser
 * will parse it: `//host`, `/\host` and a tab in between lead elsewhere.
 */
export function returnPath(next: string, publicUrl: string, fallback = HOME): string {
  if (!next.startsWith('/') || !URL.canParse(next, publicUrl)) return fallback
  const url = new URL(next, publicUrl)
  const isOurs = url.origin === new URL(publicUrl).origin && pageAt(url.pathname)?.isReturnTarget === true
  return isOurs ? url.pathname + url.search + url.hash : fallback
}
