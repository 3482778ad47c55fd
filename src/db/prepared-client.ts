import type { Sql, TransactionSql } from 'postgres'

type Client = Sql | TransactionSql
/** Called with the text of a statement when it is asked; what it returns is called with its rows or its error. */
export type StatementWatch = (text: string) => (outcome: unknown) => void

type Unsafe = (query: string, parameters?: unknown[], options?: { prepare?: boolean }) => Promise<unknown>

/**
 * A client as drizzle should see it: statements with parameters are prepared on the server, which takes one round trip
 * where drizzle's own way takes two. A text without parameters stays as it is, for it may hold several statements, as a
 * migration does. Behind a transaction pooler the client's own `prepare: false` wins.
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
  const unsafe = client.unsafe as Unsafe // what the driver takes is wider than its type
  return (query, parameters, options) => {
    const asked = unsafe(query, parameters, parameters?.length ? { ...options, prepare: true } : options)
    if (watch) follow(asked, watch(query))
    return asked
  }
}

/** The driver sends a statement in the next microtask, so whoever shapes its rows is still in time. */
function follow(asked: Promise<unknown>, ended: (outcome: unknown) => void) {
  asked.then(ended, ended)
}

/** `begin` and `savepoint` end with the work to do; it is given a client that prepares, too. */
function scoped(open: (...given: never[]) => unknown, watch: StatementWatch | undefined) {
  return (...given: unknown[]) => {
    const work = given.pop() as (client: TransactionSql) => unknown // the last argument, by the driver's signature
    const opened = open as (...passed: unknown[]) => unknown
    return opened(...given, (client: TransactionSql) => work(preparing(client, watch)))
  }
}
