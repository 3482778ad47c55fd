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

/** The same query, whose answer waits for `between`. It begins when it is waited for, as rows or as `values`. */
function held<Query extends object>(asked: Query, between: () => Promise<void>): Query {
  const answer = async () => {
    const rows = await asked
    await between()
    return rows
  }
  return new Proxy(asked, {
    get: (of, property) => {
      const found: unknown = Reflect.get(of, property)
      if (property === 'then') return (...handlers: never[]) => answer().then(...handlers)
      return property === 'values' ? () => held((found as () => object).call(of), between) : found
    },
  })
}
