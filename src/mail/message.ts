import type { SendMailOptions } from 'nodemailer'
import type { MailText, OutgoingMail } from '../domain/core/context.ts'
import { isEmailAddress } from '../domain/mail/address.ts'
import { escapeMarkup } from '../shared/escape-markup.ts'

/** Whom mails come from: `MAIL_FROM`, taken apart. */
export type MailSender = { name: string; address: string }

export type MessageSettings = { from: MailSender; publicUrl: string }

/**
 * A mail as `nodemailer` takes it: plain text and simple markup, no picture, nothing that tells whether it was read. Addresses
 * are judged here once more, so that none can add a receiver or a header.
 */
export function mailMessage({ id, to, text, at }: OutgoingMail, { from, publicUrl }: MessageSettings): SendMailOptions {
  if (!isEmailAddress(to)) throw new Error('This is not one address') // the library would read several
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  return {
    messageId: `<${id}@${domain}>`,
    date: at,
    from,
    to: { name: '', address: to },
    envelope: { from: from.address, to: [to] },
    subject: oneLine(text.subject),
    text: plainText(text, publicUrl),
    html: markup(text, publicUrl),
    headers: { 'Auto-Submitted': 'auto-generated' }, // RFC 3834: nobody's absence is answered to us
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/**
 * The same for a file that is read as it lies there: its parts as 8bit, in whole lines, so that a link can be copied. Mail servers
 * get the library's own coding instead, as not all take lines and characters as they are.
 */
export function fileMessage(mail: OutgoingMail, settings: MessageSettings): SendMailOptions {
  const { text, html, ...message } = mailMessage(mail, settings)
  return { ...message, text: plainPart('text/plain', String(text)), html: plainPart('text/html', String(html)) }
}

const plainPart = (type: string, content: string) => ({
  raw: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${content}`,
})

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

type MailLink = NonNullable<MailText['link']>

function plainText({ paragraphs, link, closing = [], settings }: MailText, publicUrl: string): string {
  const shown = ({ words, path }: MailLink) => `${words}:\n${publicUrl}${path}`
  const footer = ['-- ', publicUrl, ...(settings ? [shown(settings)] : [])].join('\n')
  return [...paragraphs.map(oneLine), ...(link ? [shown(link)] : []), ...closing.map(oneLine), footer].join('\n\n')
}

function markup({ subject, paragraphs, link, closing = [], settings }: MailText, publicUrl: string): string {
  const shown = (text: string) => `<p>${escapeMarkup(oneLine(text))}</p>`
  const anchor = ({ words, path }: MailLink) =>
    `<p><a href="${escapeMarkup(publicUrl + path)}">${escapeMarkup(words)}</a></p>`
  const footer = [`<p>${escapeMarkup(publicUrl)}</p>`, ...(settings ? [anchor(settings)] : [])]
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeMarkup(oneLine(subject))}</title></head>
<body style="font: 16px/1.5 sans-serif; max-width: 36em">
${[...paragraphs.map(shown), ...(link ? [anchor(link)] : []), ...closing.map(shown), ...footer].join('\n')}
</body>
</html>
`
}
