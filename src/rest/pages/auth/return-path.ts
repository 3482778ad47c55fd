const HOME = '/console/'
const ownPages = ['/console', '/docs', '/oauth/authorize', '/login', '/logout']

/**
 * Where to go after a login: `next`, if it is one of our own pages, `otherwise` if not. Judged after parsing, as a browser will
 * parse it: `//host`, `/\host` and a tab in between lead elsewhere.
 */
export function returnPath(next: string, publicUrl: string, otherwise = HOME): string {
  if (!next.startsWith('/') || !URL.canParse(next, publicUrl)) return otherwise
  const url = new URL(next, publicUrl)
  const isOurs = ownPages.some((page) => url.pathname === page || url.pathname.startsWith(`${page}/`))
  return url.origin === new URL(publicUrl).origin && isOurs ? url.pathname + url.search + url.hash : otherwise
}
