/** The paths that belong to Express, with all below them. Everything else is REST, also what does not exist. */
const pagePaths = [
  '/trpc',
  '/openapi.json',
  '/docs',
  '/events',
  '/.well-known',
  '/oauth/authorize',
  '/login',
  '/logout',
  '/signup',
  '/console',
  '/llms.txt',
]
const page = new RegExp(`^(?:${pagePaths.join('|').replaceAll('.', '\\.')})(?=[/?]|$)`)

/** The one of these paths that an address is at or below. */
export function pageRouteOf(url: string): string | undefined {
  return page.exec(url)?.[0]
}
