import type { Sql, TransactionSql } from 'postgres'

type Client = Sql | TransactionSql
/** Called with the text of each statement. The function that it returns is called with the rows or the error. */
export type StatementWatch = (text: string) => (outcome: unknown) => void

type Unsafe = (query: string, parameters?: unknown[], options?: { prepare?: boolean }) => Promise<unknown>

/**
 * Wraps a client for drizzle so that statements with parameters are prepared, which takes one round trip where drizzle's own
 * calls take two. A text without parameters is not prepared, because it may consist of several statements, as a migration
 * does. The client's own `prepare: false`, for a transaction pooler, takes precedence.
 */
export function preparing<Of extends Client>(client: Of, watch?: StatementWatch): Of {
  const overrides = new Map<string | symbol, unknown>([['unsafe', unsafeOf(client, watch)]])
  if ('begin' in client) overrides.set('begin', scoped(client.begin, watch))
  if ('savepoint' in client) overrides.set('savepoint', scoped(client.savepoint, watch))
  return new Proxy(client, {
    get: (target, property) => overrides.get(property) ?? Reflect.get(target, property),
  })
}

function unsafeOf(client: Client, watch: StatementWatch | undefined): Unsafe {
  const unsafe = client.unsafe as Unsafe // the driver accepts more than its type says
  return (query, parameters, options) => {
    const asked = unsafe(query, parameters, parameters?.length ? { ...options, prepare: true } : options)
    if (watch) follow(asked, watch(query))
    return asked
  }
}

/** The driver sends a statement only in the next microtask, so the caller can still choose the form of its rows. */
function follow(asked: Promise<unknown>, ended: (outcome: unknown) => void) {
  asked.then(ended, ended)
}

/** The last argument of `begin` and `savepoint` is a function, which is given a client that prepares, too. */
function scoped(open: (...given: never[]) => unknown, watch: StatementWatch | undefined) {
  return (...given: unknown[]) => {
    const work = given.pop() as (client: TransactionSql) => unknown // by the driver's signature
    const openScope = open as (...passed: unknown[]) => unknown
    return openScope(...given, (client: TransactionSql) => work(preparing(client, watch)))
  }
}
