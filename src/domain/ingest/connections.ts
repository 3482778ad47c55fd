import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'

/** Who has gone may come back for so long; the live stream waits. */
const RETURN_S = 60
/** Three checks of ten seconds. */
const SILENT_S = 30
/**
 * An encoder that was not heard of for longer than a check may be replaced: media servers need a while to see that a connection is
 * gone, and its encoder is back before.
 */
const REPLACED_S = 15

const after = (seconds: number) => `statement_timestamp() + interval '${seconds} seconds'`

const claim = statement<[channelId: string, connection: string], { channel_id: string }>(`
insert into ingest_connections as c (channel_id, connection, connected_at, seen_at, expires_at, frame_due_at)
values ($1, $2, statement_timestamp(), statement_timestamp(), ${after(SILENT_S)}, statement_timestamp())
on conflict (channel_id) do update set connection = excluded.connection, connected_at = excluded.connected_at,
  seen_at = excluded.seen_at, expires_at = excluded.expires_at, frame_due_at = excluded.frame_due_at, bitrate_kbps = null,
  measured_at = null
where c.connection is null or c.connection = excluded.connection
   or c.seen_at < statement_timestamp() - interval '${REPLACED_S} seconds'
returning channel_id`)

/** Makes this connection the one that publishes to a channel, unless another one does; tells whether it is. */
export async function claimChannel(tx: InTransaction, channelId: string, connection: string): Promise<boolean> {
  return (await claim(tx.db, channelId, connection)).length > 0
}

const attach = statement<[channelId: string, livestreamId: string], never>(
  `update ingest_connections set livestream_id = $2 where channel_id = $1`,
)

/** The live stream ends with the connection from now on. */
export async function attachLivestream(tx: InTransaction, channelId: string, livestreamId: string): Promise<void> {
  await attach(tx.db, channelId, livestreamId)
}

const shut = statement<[channelId: string], never>(`
update ingest_connections set connection = null, expires_at = ${after(RETURN_S)}
 where channel_id = $1 and connection is not null`)

/** Whatever publishes to a channel is refused at its next check, and may be replaced at once. */
export async function shutOut(tx: InTransaction, channelId: string): Promise<void> {
  await shut(tx.db, channelId)
}

const part = statement<[keyHash: Buffer, connection: string], { channel_id: string }>(`
update ingest_connections set connection = null, expires_at = ${after(RETURN_S)}
 where channel_id = (select channel_id from stream_keys where hash = $1) and connection = $2
returning channel_id`)

/**
 * An encoder has gone: its live stream ends in a minute, if it does not come back. Returns its channel; undefined, and nothing
 * happens, for a connection that was not the one that published.
 */
export async function leave({ db }: Context, keyHash: Buffer, connection: string): Promise<string | undefined> {
  const [left] = await part(db, keyHash, connection)
  return left?.channel_id
}

export type Said = { keyHash: string; connection: string }

const keep = statement<[keyHashes: string[], connections: string[]], { key_hash: string; connection: string }>(`
update ingest_connections c
   set seen_at = statement_timestamp(), expires_at = ${after(SILENT_S)},
       livestream_id = (select l.id from livestreams l where l.channel_id = c.channel_id and l.ended_at is null limit 1)
  from unnest($1::text[], $2::text[]) as said (key_hash, connection),
       lateral (select k.channel_id from stream_keys k where k.hash = decode(said.key_hash, 'hex') limit 1) k,
       lateral (select u.id from users u where u.id = k.channel_id and u.disabled_at is null limit 1) u
 where c.channel_id = u.id and c.connection = said.connection
returning said.key_hash, said.connection`)

/** Keeps alive whoever has said that it publishes, and still may; returns these. */
export async function keepAlive({ db }: Context, said: readonly Said[]): Promise<Said[]> {
  const kept = await keep(
    db,
    said.map(({ keyHash }) => keyHash),
    said.map(({ connection }) => connection),
  )
  return kept.map(({ key_hash: keyHash, connection }) => ({ keyHash, connection }))
}

const renew = statement<[], never>(`
update ingest_connections set expires_at = ${after(SILENT_S)}
 where connection is not null and expires_at < ${after(SILENT_S)}`)

/** Gives all who publish another half a minute to be heard of, after a time in which nobody could be. */
export async function renewConnections({ slow }: Pick<Context, 'slow'>): Promise<void> {
  await renew(slow)
}
