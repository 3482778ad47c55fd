import type { IncomingMessage } from 'node:http'
import { Problem } from '../../../domain/core/problem.ts'
import { busy, type Place } from '../load-limit.ts'

/** How much of a refused body is read and discarded. Without this the client would see a reset instead of our answer. */
const DISCARDED_BYTES_MAX = 4 * 1024 * 1024

/**
 * All bytes of a body of at most `bytesMax`. Until they are there the place of the request is others', or clients who announce
 * bodies and send none would take all places. Throws `payload_too_large` after a larger body has been read, `invalid_request`
 * when the client leaves before the end, `unavailable` when there is no place any more, or when its address, or everybody, has
 * sent too much of bodies that do not end.
 */
export async function readBytes(request: IncomingMessage, bytesMax: number, place: Place | undefined): Promise<Buffer> {
  if (!request.complete) place?.giveBack()
  const bytes = await collect(request, bytesMax, place).finally(() => place?.letGo())
  if (place?.takeAgain() === false) throw busy()
  return bytes
}

function collect(request: IncomingMessage, bytesMax: number, place: Place | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const refuse = () => reject(new Problem('payload_too_large', `body: may have at most ${bytesMax} bytes.`))
    const refuseShort = () => reject(new Problem('invalid_request', 'body: ended too early.'))

    const discard = () => {
      chunks.length = 0
      place?.letGo()
      if (size <= DISCARDED_BYTES_MAX) return
      request.pause()
      refuse()
    }

    if (request.destroyed) return refuseShort() // its 'close' has been, and no 'end' will come, even if all of it has arrived
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > bytesMax) return discard()
      if (request.complete || place?.hold(chunk.length) !== false) return chunks.push(chunk)
      request.removeAllListeners('data').resume() // the rest is thrown away, for as long as a body may take
      reject(busy())
    })
    request.on('end', () => {
      if (size > bytesMax) refuse()
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('close', () => {
      if (!request.readableEnded) refuseShort()
    })
    request.on('error', () => {}) // 'close' follows; each comes once, and on() is cheaper than once()
  })
}
