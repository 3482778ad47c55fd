import { afterAll, expect, test } from 'vitest'
import { instantText, statement } from '../../src/db/statement.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

test('a statement takes dates, bytes, lists, numbers and nulls, and shows times as the API does', async () => {
  const ask = statement<
    [Date, Buffer, string[], number, boolean, null],
    { at: string; bytes: Buffer; list: string[]; n: number; yes: boolean; none: null; shown: string }
  >(`select $1::timestamptz as at, $2::bytea as bytes, $3::text[] as list, $4::int as n, $5::boolean as yes, $6::text as none,
     ${instantText('$1::timestamptz')} as shown`)
  const [row] = await ask(database.db, new Date(1234567890), Buffer.from('x'), ['a "b"', 'c,d'], 7, true, null)
  expect(row).toEqual({
    at: '1970-01-15 06:56:07.89+00',
    bytes: Buffer.from('x'),
    list: ['a "b"', 'c,d'],
    n: 7,
    yes: true,
    none: null,
    shown: '1970-01-15T06:56:07.890Z',
  })
})
