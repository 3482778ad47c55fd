import { expect, test } from 'vitest'
import { hashPassword } from '../../src/domain/accounts/passwords.ts'
import { PASSWORD } from '../support/log.ts'

// `npm test` hashes at a fraction of this price, and could not tell
test('what is stored of a password is argon2id of 19 MiB and two passes, as OWASP asks', async () => {
  expect(await hashPassword({}, PASSWORD)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})
