import type { MailTransport } from '../domain/core/context.ts'
import { FileTransport } from './file-transport.ts'
import type { MailSender } from './message.ts'
import { SmtpTransport } from './smtp-transport.ts'

export type MailSettings = {
  smtpUrl: string | undefined
  mailFrom: MailSender
  dataDir: string
  publicUrl: string
}

/** Sends mails over `SMTP_URL`, or writes them to files where there is none. Nothing is opened before there is a mail. */
export function openMailTransport({
  smtpUrl,
  mailFrom,
  dataDir,
  publicUrl,
}: MailSettings): MailTransport & AsyncDisposable {
  const settings = { from: mailFrom, publicUrl }
  return smtpUrl === undefined ? new FileTransport(dataDir, settings) : new SmtpTransport(smtpUrl, settings)
}
