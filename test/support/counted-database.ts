import { connect, type Database, type DatabaseTarget, databaseOver } from '../../src/db/client.ts'
import { endClient } from '../../src/db/pools.ts'

type Sent = { text: string; values: readonly unknown[] }

/**
 * A database that keeps what it was asked, in transactions too, with the values. Before it gives the answer it waits for `between`,
 * which may throw.
 */
export function countedDatabase(
  target: DatabaseTarget,
  between?: (text: string, values: readonly unknown[]) => Promise<void>,
) {
  const client = connect(target, { max: 4 })
  const sent: Sent[] = []
  const counting = <Client extends typeof client>(of: Client): Client => {
    const unsafe = (text: string, values: readonly unknown[] = [], options = {}): unknown => {
      sent.push({ text, values })
      const asked = of.unsafe(text, values as never[], options)
      return between ? held(asked, () => between(text, values)) : asked
    }
    const begin = (work: (within: Client) => Promise<unknown>) => of.begin((within) => work(counting(within as never)))
    return new Proxy(of, { get: (_, property) => ({ unsafe, begin })[String(property)] ?? Reflect.get(of, property) })
  }
  const db: Database = databaseOver(counting(client))
  return { db, sent, [Symbol.asyncDispose]: () => endClient(client) }
}

/** The same query, whose answer waits once for `between`, however many wait for it. */
function held<Query extends object>(asked: Query, between: () => Promise<void>): Query {
  let answered: Promise<unknown> | undefined
  const answer = async () => {
    const rows = await asked
    await between()
    return rows
  }
  const then = (...handlers: never[]) => {
    answered ??= answer()
    return answered.then(...handlers)
  }
  const get = (of: Query, property: string | symbol) => {
    const found: unknown = Reflect.get(of, property)
    if (property === 'then') return then
    if (property !== 'values') return found
    return () => {
      ;(found as () => void).call(of) // in which form the rows come
      return query
    }
  }
  const query: Query = new Proxy(asked, { get })
  return query
}
