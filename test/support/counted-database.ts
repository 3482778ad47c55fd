import { connect, type Database, type DatabaseTarget, databaseOver } from '../../src/db/client.ts'
import { endClient } from '../../src/db/pools.ts'

type Sent = { text: string; values: readonly unknown[] }

/**
 * A database that keeps what it was asked, with the values. Before it gives the answer it waits for `between`, which may throw.
 */
export function countedDatabase(target: DatabaseTarget, between?: (text: string) => Promise<void>) {
  const client = connect(target, { max: 4 })
  const sent: Sent[] = []
  const unsafe = (text: string, values: readonly unknown[] = [], options = {}): Promise<unknown> => {
    sent.push({ text, values })
    const asked = client.unsafe(text, values as never[], options)
    if (!between) return asked
    return asked.then(async (rows) => {
      await between(text)
      return rows
    })
  }
  const counting = new Proxy(client, {
    get: (of, property) => (property === 'unsafe' ? unsafe : Reflect.get(of, property)),
  })
  const db: Database = databaseOver(counting)
  return { db, sent, [Symbol.asyncDispose]: () => endClient(client) }
}
