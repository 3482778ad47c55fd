import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'

type Received = { from: string; to: string[]; raw: string }

/** A mail server on a port of its own, that keeps what it is given. */
export async function createMailServer() {
  const received: Received[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const to = rcptTo.map(({ address }) => address)
        received.push({ from: mailFrom === false ? '' : mailFrom.address, to, raw: Buffer.concat(chunks).toString() })
        done()
      })
    },
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

/** A mail as its reader sees it: without the soft breaks of quoted-printable. */
export const decoded = (raw: string): string => raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')
