type PageRow = {
  path: `/${string}`
  /** Everything below this belongs to pages and not to REST, also where there is no page. By default the path itself. */
  root?: `/${string}`
  /** What may be done at the path and below it. Left out where the page refuses methods by itself. */
  methods?: readonly string[]
  /** Nothing is below the path. */
  isLeaf?: boolean
  /** Any website may read it: nothing in it is secret, and no cookie counts. */
  isOpenToWebsites?: boolean
  /** Whether one may be sent here after logging in or out. */
  isReturnTarget?: boolean
}

const READ = ['GET', 'HEAD', 'OPTIONS']
const FORM = ['GET', 'HEAD', 'POST', 'OPTIONS']
const metadata = { root: '/.well-known', methods: READ, isLeaf: true, isOpenToWebsites: true } as const

/**
 * Every page. From this follow which paths belong to Express, which methods they allow, and where one may be sent after a
 * login. `app.ts` does not compile until each is mounted.
 */
export const pages = [
  { path: '/trpc' },
  { path: '/openapi.json', methods: READ },
  { path: '/docs', methods: READ, isReturnTarget: true },
  { path: '/events/schemas.json', root: '/events', methods: READ },
  { path: '/.well-known/oauth-authorization-server', ...metadata },
  { path: '/.well-known/oauth-protected-resource', ...metadata },
  { path: '/oauth/authorize', methods: FORM, isReturnTarget: true },
  { path: '/login', methods: FORM, isReturnTarget: true },
  { path: '/logout', methods: FORM, isReturnTarget: true },
  { path: '/signup', methods: FORM, isReturnTarget: false }, // whoever returns is logged in and needs no account
  { path: '/console', methods: READ, isReturnTarget: true },
  { path: '/llms.txt', methods: READ },
] as const satisfies readonly PageRow[]

export type PagePath = (typeof pages)[number]['path']

const rows: readonly PageRow[] = pages
const roots = [...new Set(rows.map(({ path, root = path }) => root))]
const atRoot = new RegExp(`^(?:${roots.join('|').replaceAll('.', '\\.')})(?=[/?]|$)`)

/** The root that an address is at or below. Everything else is REST, also what does not exist. */
export function pageRootOf(url: string): string | undefined {
  return atRoot.exec(url)?.[0]
}

/** The page that a path is at or below. */
export function pageAt(path: string): PageRow | undefined {
  const bare = path.replace(/\/$/, '')
  return rows.find((page) => bare === page.path || (!page.isLeaf && path.startsWith(`${page.path}/`)))
}
