import { admin, connect, outcomeOf, report } from './fault.ts'

/**
 * The plan of a prepared statement is no longer right, as after a migration, and others are sent behind it. Reports how all
 * of them end, with their answers, also those of parameters that are serialised for the wire; and what a transaction is told.
 */
const sql = connect({ max: 1, max_pipeline: 8 })
const ask = (text: string, values: (number | Buffer)[]) => sql.unsafe(text, values as never[], { prepare: true })
const told = (work: PromiseLike<readonly unknown[]>) =>
  outcomeOf(work).then(async (how) => (how === 'resolved' ? [...(await work)] : how))

await admin`create table if not exists replanned (a int primary key, b text, c bytea)`
await admin`insert into replanned values (1, 'one', '\\x01'), (2, 'two', '\\x02')`
const changing = 'select a, b from replanned where c = $1'
await ask(changing, [Buffer.from([1])])
await admin`alter table replanned alter b type varchar(20)`
const answers = await Promise.all([
  told(ask(changing, [Buffer.from([1])])),
  told(ask(`select $1::int as mine, 'of B' as b`, [2])),
  told(ask(changing, [Buffer.from([2])])),
])

await admin`alter table replanned alter b type varchar(30)`
const inTransaction = await outcomeOf(sql.begin((tx) => tx.unsafe(changing, [Buffer.from([1])], { prepare: true })))
const again = await told(sql.begin((tx) => tx.unsafe(changing, [Buffer.from([1])], { prepare: true })))
await admin`drop table replanned`
await Promise.all([sql.end({ timeout: 1 }), admin.end({ timeout: 1 })])
report({ answers, inTransaction, again })
