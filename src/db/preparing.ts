import type { Sql, TransactionSql } from 'postgres'

type Client = Sql | TransactionSql
type Unsafe = (query: string, parameters?: unknown[], options?: { prepare?: boolean }) => unknown

/**
 * A client as drizzle should see it: statements with parameters are prepared on the server, which takes one round trip
 * where drizzle's own way takes two. A text without parameters stays as it is, for it may hold several statements, as a
 * migration does. Behind a transaction pooler the client's own `prepare: false` wins.
 */
export function preparing<Of extends Client>(client: Of): Of {
  const overrides = new Map<string | symbol, unknown>([['unsafe', unsafeOf(client)]])
  if ('begin' in client) overrides.set('begin', scoped(client.begin))
  if ('savepoint' in client) overrides.set('savepoint', scoped(client.savepoint))
  return new Proxy(client, {
    get: (target, property) => overrides.get(property) ?? Reflect.get(target, property),
  })
}

function unsafeOf(client: Client): Unsafe {
  const unsafe = client.unsafe as Unsafe // what the driver takes is wider than its type
  return (query, parameters, options) =>
    unsafe(query, parameters, parameters?.length ? { ...options, prepare: true } : options)
}

/** `begin` and `savepoint` end with the work to do; it is given a client that prepares, too. */
function scoped(open: (...given: never[]) => unknown) {
  return (...given: unknown[]) => {
    const work = given.pop() as (client: TransactionSql) => unknown // the last argument, by the driver's signature
    const opened = open as (...passed: unknown[]) => unknown
    return opened(...given, (client: TransactionSql) => work(preparing(client)))
  }
}
