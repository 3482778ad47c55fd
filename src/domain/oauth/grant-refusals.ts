import { isWellFormed, type TokenKind, tokenWords } from '../access/token-format.ts'
import { Problem } from '../core/problem.ts'

/** What a client presents for tokens, in which parameter; `unknown` are the words for what it cannot have from us. */
export type Presented = { kind: TokenKind; parameter: string; value: string; unknown: string }

/** The client has proved who it is, so it is told why. */
export const refusedGrant = (words: string) => new Problem('invalid_grant', words)

export const usedBefore = (parameter: string) =>
  refusedGrant(`${parameter}: was used before. Whoever uses one twice loses all tokens that came of it.`)

export const closedAccount = (parameter: string) => refusedGrant(`${parameter}: the account of its user is closed.`)

export const otherKey = (parameter: string) =>
  refusedGrant(`${parameter}: is bound to another key than that of the DPoP proof.`)

/** Throws for what has not the form of its kind, and says what it is when it is another token. */
export function requireForm({ kind, parameter, value, unknown }: Presented): void {
  if (isWellFormed(kind, value)) return
  const words = tokenWords(value)
  const remedy = kind === 'refresh' && isWellFormed('access', value) ? OWN_TOKEN : ''
  throw refusedGrant(`${parameter}: ${words === undefined ? unknown : `is ${words}.${remedy}`}`)
}

const OWN_TOKEN = ' An application gets no refresh token for its own: it asks for another one by client_credentials.'
