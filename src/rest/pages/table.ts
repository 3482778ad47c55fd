type PageRow = {
  path: `/${string}`
  /** Everything below this belongs to pages and not to REST, also where there is no page. By default the path itself. */
  root?: `/${string}`
  /** What may be done at the path and below it. */
  methods: readonly string[]
  /** Nothing is below the path. */
  isLeaf?: boolean
  /** Any website may read it: nothing in it is secret, and no cookie counts. */
  isOpenToWebsites?: boolean
  /** Whether one may be sent here after logging in or out. */
  isReturnTarget?: boolean
}

const READ = ['GET', 'HEAD', 'OPTIONS']
const FORM = ['GET', 'HEAD', 'POST', 'OPTIONS']
/** Its own object: it takes calls, and no form. */
const CALLS = [...FORM]
const metadata = { root: '/.well-known', methods: READ, isLeaf: true, isOpenToWebsites: true } as const

/**
 * Every page. From this follow which paths belong to Express, which methods they allow, and where one may be sent after a
 * login. `app.ts` does not compile until each is mounted.
 */
export const pages = [
  { path: '/trpc', methods: CALLS, isOpenToWebsites: true },
  { path: '/mcp', methods: ['POST', 'OPTIONS'], isLeaf: true, isOpenToWebsites: true },
  { path: '/openapi.json', methods: READ, isOpenToWebsites: true },
  { path: '/openapi.extensions.json', methods: READ, isOpenToWebsites: true },
  { path: '/asyncapi.json', methods: READ, isOpenToWebsites: true },
  { path: '/docs', methods: READ, isReturnTarget: true },
  { path: '/events/schemas.json', root: '/events', methods: READ, isOpenToWebsites: true },
  { path: '/.well-known/oauth-authorization-server', ...metadata },
  { path: '/.well-known/oauth-protected-resource/mcp', ...metadata },
  { path: '/.well-known/oauth-protected-resource', ...metadata },
  { path: '/.well-known/openid-configuration', ...metadata },
  { path: '/oauth/authorize', methods: FORM, isReturnTarget: true },
  { path: '/device', methods: FORM, isReturnTarget: true },
  { path: '/login', methods: FORM, isReturnTarget: true },
  { path: '/logout', methods: FORM, isReturnTarget: true },
  { path: '/signup', methods: FORM, isReturnTarget: false }, // whoever returns is logged in and needs no account
  { path: '/forgot', methods: FORM },
  { path: '/reset', methods: FORM },
  { path: '/verify', methods: FORM },
  { path: '/export', methods: READ, isLeaf: true },
  { path: '/closed', methods: READ, isLeaf: true },
  { path: '/console', methods: READ, isReturnTarget: true },
  { path: '/overlay/chat', root: '/overlay', methods: READ },
  { path: '/thumbnails', methods: READ, isOpenToWebsites: true },
  { path: '/llms.txt', methods: READ, isOpenToWebsites: true },
] as const satisfies readonly PageRow[]

export type PagePath = (typeof pages)[number]['path']

const rows: readonly PageRow[] = pages
const roots = [...new Set(rows.map(({ path, root = path }) => root))]
const atRoot = new RegExp(`^(?:${roots.join('|').replaceAll('.', '\\.')})(?=[/?]|$)`)

const openRoots = new Set<string>(
  rows.filter(({ isOpenToWebsites }) => isOpenToWebsites).map(({ path, root = path }) => root),
)

/** Whether any website may read what is at a root and below it, also that nothing is there. */
export const isOpenPage = (root: string): boolean => openRoots.has(root)

/** The pages that take a form. */
export const formPages = rows.filter(({ methods }) => methods === FORM).map(({ path }) => path)

/** Whether what is at a root asks the database, in place of being at hand. */
export const asksDatabase = (root: string | undefined): boolean =>
  root === '/trpc' || root === '/mcp' || root === '/export' || formPages.some((path) => path === root)

/** The root that an address is at or below. Everything else is REST, also what does not exist. */
export function pageRootOf(url: string): string | undefined {
  return atRoot.exec(url)?.[0]
}

/** The page that a path is at or below. */
export function pageAt(path: string): PageRow | undefined {
  const bare = path.replace(/\/$/, '')
  return rows.find((page) => bare === page.path || (!page.isLeaf && path.startsWith(`${page.path}/`)))
}
