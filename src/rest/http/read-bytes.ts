import type { IncomingMessage } from 'node:http'
import { Problem } from '../../domain/core/problem.ts'

/** How much of a refused body is read and discarded. Without this the client would see a reset instead of our answer. */
const DISCARDED_BYTES_MAX = 4 * 1024 * 1024

/** All bytes of a body of at most `bytesMax`; throws `payload_too_large` after a larger body has been read. */
export function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const refuse = () => reject(new Problem('payload_too_large', `body: may have at most ${bytesMax} bytes.`))

    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= bytesMax) chunks.push(chunk)
      else if (size > DISCARDED_BYTES_MAX) {
        request.pause()
        refuse()
      }
    })
    request.on('end', () => {
      if (size > bytesMax) refuse()
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('close', () => {
      if (!request.complete) reject(new Problem('invalid_request', 'body: ended too early.'))
    })
    request.on('error', () => {}) // 'close' follows; each comes once, and on() is cheaper than once()
  })
}
