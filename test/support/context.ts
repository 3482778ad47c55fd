import { randomBytes } from 'node:crypto'
import { getTableColumns, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { vi } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import * as schema from '../../src/db/schema/index.ts'
import { CredentialCache } from '../../src/domain/access/credential-cache.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import type { OutgoingMail } from '../../src/domain/core/context.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { sha256 } from '../../src/domain/core/digest.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { Keyring } from '../../src/domain/core/keyring.ts'
import { scopes as allScopes, type Scope } from '../../src/domain/core/scopes.ts'
import { ProcessStreams } from '../../src/domain/events/streams/process-streams.ts'
import { SharedStreamLimit } from '../../src/domain/events/streams/shared-stream-limit.ts'
import { ProcessTail } from '../../src/domain/events/tail/process-tail.ts'
import { issueDirectly } from '../../src/domain/oauth/issue.ts'
import { RequestLogBuffer } from '../../src/domain/requests/request-log.ts'
import { UsageCounts } from '../../src/domain/usage/counts.ts'
import type { ProcessContext } from '../../src/process/context.ts'
import { grantTypes as allGrantTypes } from '../../src/shared/grants.ts'
import { createTestDatabase } from './database.ts'
import { createTestLog } from './log.ts'

const START = new Date('2026-01-02T03:04:05.678Z')

export type TestClient = { id: string; secret: string | undefined }
type ClientOptions = {
  isConfidential?: boolean
  scopes?: readonly Scope[]
  redirectUris?: readonly string[]
  /** The operator's when left out. */
  owner?: { id: string }
}

/**
 * What every verb needs, on a database of its own. The clock moves by a millisecond whenever it is asked, so things have
 * an order, and otherwise only when the test says so (`clock.at = …`, `elapse` for deadlines).
 */
export async function createTestContext(overrides: Partial<ProcessContext> = {}) {
  const database = await createTestDatabase()
  const clock = { at: START }
  const now = () => {
    clock.at = new Date(clock.at.getTime() + 1)
    return clock.at
  }
  const wake = vi.fn()
  const sentMails: OutgoingMail[] = []
  const logged = createTestLog()
  const parts: Omit<ProcessContext, 'tail' | 'streams' | 'streamLimit'> = {
    db: database.db,
    slow: database.slow,
    replica: database.slow,
    now,
    wake,
    onWake: () => () => {},
    stopping: new AbortController().signal,
    keyring: new Keyring([randomBytes(32).toString('base64url')]),
    counters: memoryCounters(),
    credentials: new CredentialCache(),
    usage: new UsageCounts(() => clock.at),
    requests: new RequestLogBuffer(() => clock.at),
    publicUrl: 'http://test',
    mailTransport: { send: async (mail) => void sentMails.push(mail) },
    targets: { allowPrivate: true, allowCidrs: [], proxyUrl: undefined },
    cronAccess: 'this machine',
    signup: 'open',
    secondFactor: 'off',
    log: logged.log,
    ...overrides,
  }
  const context: ProcessContext = {
    tail: new ProcessTail(parts),
    streams: new ProcessStreams(parts),
    streamLimit: new SharedStreamLimit(parts),
    ...parts,
  }
  const { db } = context

  /** A user, and so a channel. */
  async function user(username: string) {
    const id = newId('user', now())
    const at = now()
    const email = `${username}@example.com`
    await db.insert(schema.users).values({ id, username, email, createdAt: at, updatedAt: at })
    return { id, username }
  }

  /** An application with every grant that its kind may have. */
  async function client({ isConfidential = true, scopes = allScopes, redirectUris = [], owner }: ClientOptions = {}) {
    const at = now()
    const id = newId('client', at)
    const grantTypes = allGrantTypes.filter((type) => isConfidential || type !== 'client_credentials')
    await db.insert(schema.clients).values({
      id,
      ownerId: owner?.id ?? null,
      name: 'An application',
      confidential: isConfidential,
      grantTypes,
      scopes: [...scopes],
      authMethod: isConfidential ? 'secret' : 'none',
      createdAt: at,
      updatedAt: at,
    })
    const secret = isConfidential ? mint('secret') : undefined
    if (secret) {
      const last4 = secret.slice(-4)
      await db
        .insert(schema.clientSecrets)
        .values({ id: newId('secret', at), clientId: id, hash: sha256(secret), last4, createdAt: at })
    }
    for (const uri of redirectUris) await db.insert(schema.clientRedirectUris).values({ clientId: id, uri })
    return { id, secret } satisfies TestClient
  }

  let someClient: Promise<TestClient> | undefined
  const defaultClient = () => {
    someClient ??= client()
    return someClient
  }

  /** A token that works, with exactly these scopes; without a user it stands for the application. */
  async function token(scopes: readonly Scope[], of: { user?: { id: string }; client?: TestClient } = {}) {
    const { id: clientId } = of.client ?? (await defaultClient())
    if (of.user) return (await issueDirectly(context, { clientId, userId: of.user.id, scopes })).access_token
    const made = mint('access')
    await db
      .insert(schema.accessTokens)
      .values({ hash: sha256(made), clientId, scopes: [...scopes], expiresAt: inMs(3_600_000) })
    return made
  }

  return {
    context,
    /** For listeners and processes that connect by themselves. */
    target: database.target,
    clock,
    wake,
    /** What the worker would have sent by now, oldest first. */
    sentMails,
    user,
    client,
    token,

    /** Lets time pass for every deadline in a column, as the database sees it. */
    async elapse<Table extends PgTable>(table: Table, column: keyof Table['_']['columns'] & string, ms: number) {
      const at = getTableColumns(table)[column]
      await db.update(table).set({ [column]: sql`${at} - ${ms} * interval '1 millisecond'` } as never)
    },

    /** What was logged, a line of JSON each. */
    lines: logged.lines,

    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      logged[Symbol.dispose]()
    },
  }
}
