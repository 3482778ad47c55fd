import type { Database } from '../../db/client.ts'
import { isUnavailable } from '../../db/db-error.ts'
import { statement } from '../../db/statement.ts'
import { requestLogMetrics } from './metrics.ts'
import type { LoggedBatch, LoggedRow, RequestLogBuffer } from './request-log.ts'

/** Of a statement: the values of a thousand rows are a megabyte or two. */
const BATCH_ROWS = 1_000

type Texts = readonly string[]
type Lists = [
  ids: Texts,
  clientIds: Texts,
  requestIds: Texts,
  operations: Texts,
  statuses: Texts,
  codes: Texts,
  messages: Texts,
  credentialIds: Texts,
  durationsMs: Texts,
  addresses: Texts,
  sent: Texts,
  omittedOf: Texts,
  minutes: Texts,
  failures: Texts,
]

/** What names an application that does not exist is left out. Counts are locked in one order, so that processes do not deadlock. */
const addRequests = statement<Lists, { stored: number }>(`
with kept as (
  insert into request_log
    (id, client_id, request_id, operation, status, code, message, credential_id, duration_ms, address, sent)
  select added.id, clients.id, request_id, operation, status::smallint, nullif(code, ''), nullif(message, ''),
         nullif(credential_id, ''), duration_ms::integer, nullif(address, '')::inet, nullif(sent, '')
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                $10::text[], $11::text[])
      as added (id, client_id, request_id, operation, status, code, message, credential_id, duration_ms, address, sent)
    join clients on clients.id = added.client_id
  on conflict (id) do nothing
  returning 1
), omitted as (
  insert into request_log_omissions as known (client_id, minute, failures)
  select clients.id, minute::timestamptz, failures::integer
    from unnest($12::text[], $13::text[], $14::text[]) as added (client_id, minute, failures)
    join clients on clients.id = added.client_id
   order by 1, 2
  on conflict (client_id, minute) do update set failures = known.failures + excluded.failures
)
select count(*)::int as stored from kept`)

/**
 * Stores what this process has noted since the last write, a thousand rows by each statement. While the database is away the rows
 * wait, as many as have a place; rows that it does not take for any other reason are dropped.
 */
export async function writeRequestLog({
  requests,
  slow,
}: {
  requests: RequestLogBuffer
  slow: Database
}): Promise<void> {
  for (;;) {
    const batch = requests.take(BATCH_ROWS)
    const { rows, omissions } = batch
    if (rows.length === 0 && omissions.length === 0) return
    await store(slow, batch).catch((error: unknown) => {
      if (isUnavailable(error)) requests.putBack(batch)
      else requestLogMetrics.dropped.database += rows.length
      throw error
    })
    if (rows.length < BATCH_ROWS) return
  }
}

async function store(db: Database, { rows, omissions }: LoggedBatch) {
  const list = (of: (row: LoggedRow) => string | number | null) => rows.map((row) => textOf(of(row)))
  const [added] = await addRequests(
    db,
    list(({ id }) => id),
    list(({ clientId }) => clientId),
    list(({ requestId }) => requestId),
    list(({ operation }) => operation),
    list(({ status }) => status),
    list(({ code }) => code),
    list(({ message }) => message),
    list(({ credentialId }) => credentialId),
    list(({ durationMs }) => durationMs),
    list(({ address }) => address),
    list(({ sent }) => sent),
    omissions.map(({ clientId }) => clientId),
    omissions.map(({ minuteMs }) => new Date(minuteMs).toISOString()),
    omissions.map(({ failures }) => String(failures)),
  )
  requestLogMetrics.rows += added?.stored ?? 0
}

/** Lists of the driver have no nulls, and nothing of a row is empty. */
const textOf = (value: string | number | null) => (value === null ? '' : String(value))
