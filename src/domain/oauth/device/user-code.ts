import { randomInt } from 'node:crypto'
import type { Keyring, OneOrMore } from '../../core/keyring.ts'

/** Letters that no two of are mistaken for each other, and no word can be made of (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
const FORM = new RegExp(`^[${LETTERS}]{${LENGTH}}$`)

/** Eight letters, without the dash that they are shown with. */
export const newUserCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')

/** What somebody has typed, in any case and with anything between the letters; undefined when it cannot be a code. */
export function readUserCode(typed: string): string | undefined {
  const code = typed.replace(/[\s\p{P}]/gu, '').toUpperCase()
  return FORM.test(code) ? code : undefined
}

export const showUserCode = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`

/** What is stored of a code, under every key, the current one first. A plain hash of so few letters could be undone. */
export const hashesOfUserCode = (keyring: Keyring, code: string): OneOrMore<Buffer> => keyring.macs('user-code', code)
