import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { idempotencyKeys } from '../../src/db/schema/index.ts'
import { startMaintenance } from '../../src/process/background/maintenance.ts'
import { createTestContext } from '../support/context.ts'

test('a step of the hourly maintenance that fails is logged by its name, and holds up none of the others', async () => {
  await using app = await createTestContext()
  await app.context.db.execute(sql`alter table signing_keys rename to signing_keys_away`)
  const expired = { owner: 'cli_x', key: 'old', fingerprint: Buffer.alloc(32), expiresAt: new Date(0) }
  await app.context.db.insert(idempotencyKeys).values(expired)
  await startMaintenance(app.context)[Symbol.asyncDispose]()
  expect(await app.context.db.$count(idempotencyKeys)).toBe(0)
  const failed = app.lines.map((line) => JSON.parse(line)).filter(({ msg }) => /maintenance failed/.test(msg))
  expect(failed.map(({ what }) => what)).toEqual(['the key that signs ID tokens, sealed with the current key'])
})
