import type { Sql, TransactionSql } from 'postgres'
import type { Bulkhead } from './bulkhead.ts'
import { ofDatabase } from './db-error.ts'
import type { Gate } from './gate.ts'

type Client = Sql | TransactionSql
type Open = (...given: never[]) => unknown
/** Called with the text of each statement. The function that it returns is called with the rows or the error. */
export type StatementWatch = (text: string) => (outcome: unknown) => void

export type StatementGuards = {
  /** Observes each statement. */
  watch?: StatementWatch | undefined
  /** Called with why a transaction could not begin or end: it is the driver that sends these statements. */
  onFailure?: ((reason: Error) => void) | undefined
  /** Refuses statements at once while the database is away. */
  gate?: Gate | undefined
  /** Refuses those whose like hold too many connections. */
  bulkhead?: Bulkhead | undefined
}

type Unsafe = (query: string, parameters?: unknown[], options?: { prepare?: boolean }) => Promise<unknown>

/**
 * Wraps a client for drizzle so that statements with parameters are prepared, which takes one round trip where drizzle's own
 * calls take two. A text without parameters is not prepared, because it may consist of several statements, as a migration
 * does. The client's own `prepare: false`, for a transaction pooler, takes precedence.
 */
export function preparing<Of extends Client>(client: Of, guards: StatementGuards): Of {
  const overrides = new Map<string | symbol, unknown>([['unsafe', unsafeOf(client, guards)]])
  if ('begin' in client) overrides.set('begin', scoped(gated(client.begin, guards.gate), guards))
  if ('savepoint' in client) overrides.set('savepoint', scoped(client.savepoint, guards))
  return new Proxy(client, {
    get: (target, property) => overrides.get(property) ?? Reflect.get(target, property),
  })
}

function unsafeOf(client: Client, { watch, gate, bulkhead }: StatementGuards): Unsafe {
  const unsafe = client.unsafe as Unsafe // the driver accepts more than its type says
  return (query, parameters, options) => {
    if (gate?.away) return refusedQuery(gate.away)
    gate?.expectAnswer()
    const place = bulkhead?.enter(query, parameters?.[0])
    if (place instanceof Error) return refusedQuery(place)
    const asked = unsafe(query, parameters, parameters?.length ? { ...options, prepare: true } : options)
    follow(asked, watch?.(query))
    if (place) follow(asked, place)
    return asked
  }
}

/** The driver sends a statement only in the next microtask, so the caller can still choose the form of its rows. */
function follow(asked: Promise<unknown>, ended?: (outcome: unknown) => void) {
  asked.then(ended, (error) => {
    ofDatabase(error)
    ended?.(error)
  })
}

/** The last argument of `begin` and `savepoint` is a function, which is given a client that prepares, too. */
function scoped(open: Open, guards: StatementGuards) {
  return (...given: unknown[]) => {
    const work = given.pop() as (client: TransactionSql) => unknown // by the driver's signature
    const openScope = open as (...passed: unknown[]) => Promise<unknown>
    let thrown: unknown
    const ended = openScope(...given, async (client: TransactionSql) => {
      try {
        return await work(preparing(client, guards))
      } catch (error) {
        thrown = error
        throw error
      } finally {
        guards.gate?.expectAnswer() // the driver ends the transaction by itself
      }
    })
    ended.catch((error) => {
      if (error === thrown) return
      ofDatabase(error)
      guards.onFailure?.(error)
    })
    return ended
  }
}

/** Begins no transaction while the database is away. */
function gated(begin: Open, gate: Gate | undefined): Open {
  return (...given) => {
    if (gate?.away) return refusedQuery(gate.away)
    gate?.expectAnswer()
    return begin(...given)
  }
}

/** In the place of a statement that is not sent, in either form of its rows. */
function refusedQuery(reason: Error): Promise<unknown> {
  // not in a microtask: who asks again without a pause would leave no time for the probe
  const refused: Promise<unknown> = new Promise((_, reject) => setImmediate(reject, reason))
  refused.catch(() => {}) // nor does a statement of the driver complain that nobody awaits it
  return Object.assign(refused, { values: () => refused })
}
