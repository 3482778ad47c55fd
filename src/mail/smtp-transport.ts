import type { Transporter } from 'nodemailer'
import type { MailTransport, OutgoingMail } from '../domain/core/context.ts'
import { type MessageSettings, mailMessage } from './message.ts'

const CONNECTIONS_MAX = 3
const CONNECT_MS = 10_000
const SILENCE_MS = 20_000

/** Sends mails over `SMTP_URL`. The library and its connections are there only once there is a mail. */
export class SmtpTransport implements MailTransport, AsyncDisposable {
  readonly #url: string
  readonly #settings: MessageSettings
  #opening: Promise<Transporter> | undefined

  constructor(url: string, settings: MessageSettings) {
    this.#url = url
    this.#settings = settings
  }

  async send(mail: OutgoingMail): Promise<void> {
    this.#opening ??= this.#open()
    const transporter = await this.#opening
    await transporter.sendMail(mailMessage(mail, this.#settings))
  }

  async #open(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url: this.#url,
      pool: true,
      maxConnections: CONNECTIONS_MAX,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
    })
  }

  async [Symbol.asyncDispose]() {
    const transporter = await this.#opening
    transporter?.close()
  }
}
