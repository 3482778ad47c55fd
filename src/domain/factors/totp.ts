import { Secret, TOTP } from 'otpauth'
import encodeQR from 'qr'
import type { Keyring, Sealed } from '../core/keyring.ts'
import type { QrCode } from './resources.ts'

/** What every authenticator app understands (RFC 6238, with the values that all of them have as a default). */
const FORM = { issuer: 'Developer API', algorithm: 'SHA1', digits: 6, period: 30 } as const
const SECRET_BYTES = 20
/** A code counts for half a minute before and after its time, because clocks differ. */
const STEPS_AROUND = 1

/** A new secret of 160 bits (RFC 4226, section 4, asks for 128), in base 32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

/** The `otpauth:` address of an authenticator, which a QR code hands over. */
export const totpAddress = (secret: string, username: string): string =>
  new TOTP({ ...FORM, secret, label: username }).toString()

/** The time step of which a code is, around a time; undefined for a code of none of them. */
export function stepOfCode(secret: string, code: string, at: Date): number | undefined {
  const totp = new TOTP({ ...FORM, secret })
  const timestamp = at.getTime()
  const delta = totp.validate({ token: code, timestamp, window: STEPS_AROUND })
  return delta === null ? undefined : totp.counter({ timestamp }) + delta
}

/** A text as a QR code: the side of the square in modules, and the dark ones as the path of an SVG. */
export function qrCodeOf(text: string): QrCode {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 2 })
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size: rows.length, path: path.join('') }
}

export const sealTotp = (keyring: Keyring, userId: string, secret: string): Sealed =>
  keyring.seal('totp-secret', userId, secret)
export const openTotp = (keyring: Keyring, userId: string, { ciphertext, keyId }: Sealed): string =>
  keyring.open('totp-secret', userId, { ciphertext, keyId })
