import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MailTransport, OutgoingMail } from '../domain/core/context.ts'
import { fileMessage, type MessageSettings } from './message.ts'

/** Older ones are deleted: this is for trying things out, and strangers can cause mails. */
const FILES_MAX = 1_000

/** Where mails lie when there is no `SMTP_URL`. */
export const mailFolderIn = (dataDir: string): string => join(dataDir, 'mail')

/**
 * Writes each mail to `DATA_DIR/mail/<time>-<id>.eml`, for its owner alone, and says on standard error how to read it. Its link is
 * a secret, so the file alone has it.
 */
export class FileTransport implements MailTransport, AsyncDisposable {
  readonly #folder: string
  readonly #settings: MessageSettings

  constructor(dataDir: string, settings: MessageSettings) {
    this.#folder = mailFolderIn(dataDir)
    this.#settings = settings
  }

  async send(mail: OutgoingMail): Promise<void> {
    const { createTransport } = await import('nodemailer')
    const writer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
    const { message } = await writer.sendMail(fileMessage(mail, this.#settings))
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const file = join(this.#folder, `${mail.at.toISOString().replaceAll(':', '')}-${mail.id}.eml`)
    await writeFile(file, message as Buffer, { mode: 0o600 }) // the transport was told to give a buffer
    const wanted = mail.text.link === undefined ? 'To read it' : 'To read it, and open its link in a browser'
    process.stderr.write(`Mail "${mail.text.subject}": ${file}\n  ${wanted}: cat '${file.replaceAll("'", "'\\''")}'\n`)
    await this.#deleteOldest()
  }

  async [Symbol.asyncDispose]() {} // nothing stays open

  async #deleteOldest(): Promise<void> {
    const files = (await readdir(this.#folder)).filter((name) => name.endsWith('.eml')).sort()
    for (const name of files.slice(0, -FILES_MAX)) await unlink(join(this.#folder, name)).catch(() => {}) // another process may be faster
  }
}
