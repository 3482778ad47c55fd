import assert from 'node:assert/strict'
import { pino } from 'pino'
import { describeError } from '../../src/telemetry/redaction.ts'

/** The password of everybody in the tests. */
export const PASSWORD = 'correct horse battery'

/**
 * What no line of any test may hold: tokens, keys and secrets in the clear, signing secrets, private keys, signed tokens
 * (tickets, assertions, proofs), cookies, the password.
 */
const SECRET = new RegExp(
  [
    String.raw`\bls[a-z]{1,3}_[0-9A-Za-z]{49}\b`,
    String.raw`\bwhsec_[0-9A-Za-z+/]{32,}`,
    '-----BEGIN [A-Z ]*PRIVATE KEY',
    String.raw`\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+`,
    String.raw`\b(?:sid|visitor)=[\w-]{20,}`,
    PASSWORD,
  ].join('|'),
)

/**
 * A log that keeps its lines, without the net that the service's own has beneath it. Once it is disposed of, none of them
 * may have held a secret: so each test of the suite is one of the log.
 */
export function createTestLog() {
  const lines: string[] = []
  const leaks: string[] = []
  const write = (line: string) => {
    lines.push(line)
    if (SECRET.test(line)) leaks.push(line)
  }
  const log = pino({ serializers: { err: describeError } }, { write })
  return { log, lines, [Symbol.dispose]: () => expectNone(leaks) }
}

/** Fails when a line of the log of a process holds a secret; what it tells its operator beside that is no log. */
export function expectSecretFree(output: string) {
  expectNone(output.split('\n').filter((line) => line.startsWith('{"level"') && SECRET.test(line)))
}

const expectNone = (leaks: string[]) => assert.deepEqual(leaks, [], 'lines of the log hold secrets')
