import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { Problem } from '../../src/domain/core/problem.ts'
import { appRouter } from '../../src/routers/index.ts'
import { problemFrom } from '../../src/routers/problem.ts'
import type { ProcedureContext } from '../../src/routers/trpc.ts'
import { countedDatabase } from './counted-database.ts'

/** Something that happens while a call is answered. It waits for no lock that the call itself holds: then it comes too late. */
export type Happening<Of> = (tx: Parameters<Parameters<Database['transaction']>[0]>[0], of: Of) => Promise<unknown>
const LOCK_NOT_AVAILABLE = '55P03'

type Stage<Of> = {
  ctx: Omit<ProcedureContext, 'caller'>
  target: Parameters<typeof countedDatabase>[0]
  /** Makes what the call is about anew, and whoever calls. */
  make: () => Promise<Of>
  callerOf: (of: Of) => ProcedureContext['caller']
}

/** Calls a procedure again and again, and has something happen behind the first, the second … statement; none may crash. */
export async function callMeanwhile<Of>(
  { ctx, target, make, callerOf }: Stage<Of>,
  { name, inputOf, happening }: { name: string; inputOf: (of: Of) => object; happening: Happening<Of> },
): Promise<void> {
  for (let behind = 1, asked = behind; asked >= behind; behind++) {
    const of = await make()
    asked = 0
    await using counted = countedDatabase(target, async () => {
      if (++asked === behind) await happen(ctx.db, (tx) => happening(tx, of))
    })
    const within = { ...ctx, db: counted.db, slow: counted.db, caller: callerOf(of) }
    const procedure = name
      .split('.')
      .reduce((at, part) => (at as never)[part], appRouter.createCaller(within) as unknown) as (
      input: object,
    ) => unknown
    const code = await Promise.resolve(procedure(inputOf(of))).then(() => 'none', codeOf)
    expect({ behind, code }).not.toEqual({ behind, code: 'internal_error' })
  }
}

async function happen(db: Database, act: (tx: Parameters<Happening<never>>[0]) => Promise<unknown>): Promise<void> {
  const acting = db.transaction(async (tx) => {
    await tx.execute(sql`set local lock_timeout = '20ms'`)
    await act(tx)
  })
  await acting.catch((error) => {
    if (error.cause?.code !== LOCK_NOT_AVAILABLE) throw error
  })
}

const codeOf = (error: unknown) => (error instanceof Problem ? error : problemFrom(error as never)).code
