import type { Database } from '../../../src/db/client.ts'
import { accessTokens, apiKeys, loginSessions } from '../../../src/db/schema/index.ts'
import { mint } from '../../../src/domain/access/token-format.ts'
import { inMs } from '../../../src/domain/core/db-now.ts'
import { sha256 } from '../../../src/domain/core/digest.ts'
import { scopes } from '../../../src/domain/core/scopes.ts'
import { first, identifiersUntil } from './identifiers.ts'
import { NOW } from './seed.ts'

/** A credential of each kind among the many of the seed, with its value. */
export async function insertCredentials(db: Database) {
  const { nth } = identifiersUntil(NOW)
  const [token, key, secret] = [mint('access'), mint('key'), 'a secret of a session']
  await db.insert(accessTokens).values({
    hash: sha256(token),
    clientId: first('cli', 1),
    userId: first('usr', 1),
    grantId: nth('grt', 1, 10_000),
    scopes: [...scopes],
    expiresAt: inMs(3_600_000),
  })
  await db.insert(apiKeys).values({
    id: first('key', 9_999),
    clientId: first('cli', 1),
    name: 'key',
    hash: sha256(key),
    last4: 'abcd',
    scopes: [...scopes],
    createdAt: new Date(),
  })
  await db.insert(loginSessions).values({
    id: nth('ses', 9_999, 9_999),
    secretHash: sha256(secret),
    userId: first('usr', 1),
    createdAt: new Date(),
    lastSeenAt: inMs(0),
    expiresAt: inMs(3_600_000),
  })
  return { token, key, secret }
}
