import { connect, openProxy, outcomeOf, report } from './fault.ts'

/** A connection is reset while it asks which types are arrays, which it does by itself before its first statement. */
const START_UP = 1
const { port, clients } = await openProxy()
const sql = connect({ host: '127.0.0.1', port, max: 1, backoff: () => 0.05 })
const cut = outcomeOf(sql`select 1`)
while (clients.size === 0) await new Promise(setImmediate)
const [client] = clients
let parts = 0
client?.on('data', () => {
  if (++parts > START_UP) client.resetAndDestroy()
})
report({ cut: await cut, next: await outcomeOf(sql`select ${[1, 2]}::int[]`) })
