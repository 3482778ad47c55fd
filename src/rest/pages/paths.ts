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
].map((page) => ({ page, below: `${page}/` }))

/** The one of these paths that an address is at or below. */
export function pageOf(url: string): string | undefined {
  const [path = ''] = url.split('?', 1)
  return pagePaths.find(({ page, below }) => path === page || path.startsWith(below))?.page
}
