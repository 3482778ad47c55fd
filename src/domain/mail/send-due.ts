import { errorMessageOf } from '../../telemetry/error-message.ts'
import { within } from '../../time/within.ts'
import type { Context } from '../core/context.ts'
import { textOf } from './kinds.ts'
import { mailMetrics } from './metrics.ts'
import { type ClaimedMail, claimMails, postponeMail, settleMail, TRIES_MAX } from './outbox.ts'

const AT_ONCE = 10
const SEND_MS = 60_000
const REASON_LENGTH = 300

/** Sends mails that are due, ten at most. Resolves to how many it claimed. */
export async function sendDueMails(ctx: Context): Promise<number> {
  const claimed = await claimMails(ctx, AT_ONCE)
  await Promise.all(claimed.map((mail) => attempt(ctx, mail)))
  return claimed.length
}

async function attempt(ctx: Context, mail: ClaimedMail): Promise<void> {
  if (mail.is_useless) return giveUp(ctx, mail, 'its link has ended before it could be sent')
  if (mail.tries > TRIES_MAX) return giveUp(ctx, mail, 'whoever tried to send it ended each time')
  try {
    await within(SEND_MS, send(ctx, mail), () => {
      throw new Error('No answer in time')
    })
  } catch (error) {
    return retry(ctx, mail, errorMessageOf(error).slice(0, REASON_LENGTH))
  }
  await settleMail(ctx, mail, 'sent')
  mailMetrics.attempts.sent++
}

async function send(ctx: Context, { id, kind, address, ciphertext, key_id: keyId }: ClaimedMail): Promise<void> {
  const values: unknown = JSON.parse(ctx.keyring.open('mail', id, { ciphertext, keyId }))
  await ctx.mailTransport.send({ id, to: address, text: textOf(kind, values), at: ctx.now() })
}

async function retry(ctx: Context, mail: ClaimedMail, reason: string): Promise<void> {
  if (!(await postponeMail(ctx, mail))) return giveUp(ctx, mail, reason)
  mailMetrics.attempts.retried++
  const { id, kind, tries } = mail
  ctx.log.warn({ mail: id, kind, tries, reason }, 'A mail could not be sent: it is tried again')
}

async function giveUp(ctx: Context, mail: ClaimedMail, reason: string): Promise<void> {
  await settleMail(ctx, mail, 'given_up')
  mailMetrics.attempts.given_up++
  const { id, kind, tries } = mail
  ctx.log.error({ mail: id, kind, tries, reason }, 'A mail was given up')
}
