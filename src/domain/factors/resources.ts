import * as z from 'zod'
import { Timestamp } from '../core/timestamp.ts'

/** A QR code: the side of its square, and its dark modules as the path of an SVG of that size. */
export const QrCode = z.object({ size: z.number(), path: z.string() })
export type QrCode = z.output<typeof QrCode>

/** An authenticator that is being set up: shown once, and of no effect until a code confirms it. */
export const TotpEnrolment = z.object({ secret: z.string(), uri: z.string(), qr: QrCode })
export type TotpEnrolment = z.output<typeof TotpEnrolment>

/** The recovery codes that came with a first factor; null where there are some already. */
export const NewFactor = z.object({ recovery_codes: z.array(z.string()).nullable() })
export type NewFactor = z.output<typeof NewFactor>

const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  /** Whether it is kept with others of its owner, so that it outlives a lost device. */
  is_backed_up: z.boolean(),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
})

/** What protects an account beside its password, and when it was used. */
export const Factors = z.object({
  totp: z.object({ created_at: Timestamp, last_used_at: Timestamp }).nullable(),
  passkeys: z.array(Passkey),
  recovery_codes: z.object({ left: z.number(), created_at: Timestamp, last_used_at: Timestamp.nullable() }).nullable(),
})
export type Factors = z.output<typeof Factors>
