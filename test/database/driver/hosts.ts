import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { connect, openProxy, outcomeOf, report } from './fault.ts'

/** A list of hosts of which one is dead, and one of which all are. */
const closed = createServer().listen(0, '127.0.0.1')
await once(closed, 'listening')
const dead = (closed.address() as AddressInfo).port
closed.close()
await once(closed, 'close')
const alive = (await openProxy()).port

async function ask(port: number[]) {
  const hosts = { host: port.map(() => '127.0.0.1'), port } as object // a list of them is missing in the driver's type
  const sql = connect({ ...hosts, max: 2, backoff: () => 0.3 })
  const begun = performance.now()
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => outcomeOf(sql`select 1`, 3_000)))
  return { outcomes, tookMs: performance.now() - begun }
}
report({ oneDead: await ask([dead, alive]), allDead: await ask([dead, dead, dead]) })
