import type { PgDatabase } from 'drizzle-orm/pg-core'
import { drizzle, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js'
import postgres, { type Sql } from 'postgres'
import type { BulkheadPool } from './bulkhead.ts'
import type { Pulse } from './gate.ts'
import { preparing, type StatementGuards } from './prepared-client.ts'
import { type SessionOptions, sessionSettings } from './session-settings.ts'
import { textArray, uuidArray } from './text-array.ts'

/** Which patch sets which mark in the driver, and to what. Count a number up, here and in its patch, when the patch changes. */
const PATCHES = {
  'patches/postgres+3.4.9+001+faults.patch': { mark: 'patchedFaults', version: 5 },
  'patches/postgres+3.4.9+002+cost.patch': { mark: 'patchedCost', version: 1 },
}

// Sources that are run without patch.mjs, an image without patches/, a new version of the driver or the patches of an
// earlier release would all go unnoticed otherwise.
for (const [file, { mark, version }] of Object.entries(PATCHES)) {
  if (Object.getOwnPropertyDescriptor(postgres, mark)?.value !== version)
    throw new Error(`The driver "postgres" lacks ${file}: run node patch.mjs, and npm ci before where that fails`)
}

/** The pool, or a transaction of it. */
export type Database = PgDatabase<PostgresJsQueryResultHKT>

/** A URL, or the unix socket of the embedded server: `host` is the folder that holds it. */
export type DatabaseTarget = string | { host: string; port: number; user: string; database: string }

export type ConnectOptions = SessionOptions & {
  /** The largest number of connections. */
  max?: number
  /** How many statements may be sent on a connection behind the one that runs. */
  pipeline?: number
  onNotify?: (channel: string, payload: string) => void
  /** Called when a connection has ended, for any reason. */
  onClose?: () => void
  /** Called when a connection was refused, none is open and none is being opened; what waited has been rejected. */
  onRefused?: (reason: Error) => void
}

/** What the patch adds to the driver's client. */
export type PatchedSql = Sql & {
  pulse: () => Omit<Pulse, 'isQueued'>
  /** Rejects what was not answered and what was not sent, and gives every connection up. */
  abandon: (reason: Error) => void
} & BulkheadPool

const IDLE_S_BEYOND_STATEMENT = 5

/**
 * Opens a client whose settings cope with a server that stops, stalls or moves. An idle connection is closed after
 * `statementMs` and 5 s. One that is still open and silent 5 s later has lost its server, and the patched driver destroys it.
 */
export function connect(target: DatabaseTarget, options: ConnectOptions = {}): PatchedSql {
  const { max = 8, statementMs = 10_000, pooler = 'session', pipeline = 0 } = options
  const { onNotify, onClose, onRefused } = options
  const settings = {
    max,
    max_pipeline: pipeline,
    connect_timeout: 5,
    idle_timeout: statementMs === 0 ? 0 : statementMs / 1000 + IDLE_S_BEYOND_STATEMENT,
    max_lifetime: 1800,
    backoff: (failures: number) => Math.min(0.2, 0.05 * 2 ** failures), // in seconds; the driver's default grows to 20
    keep_alive: 10,
    prepare: pooler === 'session',
    onnotice: () => {},
    fetch_types: false,
    types: { textArray, uuidArray },
    ...(onNotify && { onnotify: onNotify }),
    ...(onClose && { onclose: onClose }),
    ...(onRefused && { onrefused: onRefused }),
    connection: sessionSettings({ ...options, statementMs, pooler }),
  }
  const client: Sql = typeof target === 'string' ? postgres(target, settings) : postgres({ ...target, ...settings })
  return client as PatchedSql // by the marks above
}

/**
 * Drizzle over a client. Drizzle changes the parsers of the client: times and 64-bit integers of raw statements become text.
 * It is not given the schema, which only relational queries need, because every transaction would create an object per table.
 */
export function databaseOver(client: Sql, guards: StatementGuards = {}): Database {
  return drizzle({ client: preparing(client, guards), casing: 'snake_case' })
}
