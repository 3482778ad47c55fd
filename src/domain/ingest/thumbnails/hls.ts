import { open } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { LinkedController } from '../../../time/linked-controller.ts'
import { parseUrl } from '../../core/url.ts'

/** The newest piece of a stream: with its head, where its format has one apart. */
export type Segment = { bytes: Buffer; seconds: number; bitrateKbps: number; format: 'mpegts' | 'mov' }

const PLAYLIST_BYTES_MAX = 256 * 1024
/** Ten seconds at 12 Mbit/s. */
const SEGMENT_BYTES_MAX = 15 * 1024 * 1024
const ANSWER_MS = 5_000
const SECONDS_MAX = 60
/** MediaMTX begins a session with one. */
const REDIRECTS_MAX = 2

/**
 * Reads the newest segment of a channel's HLS from where the operator has said that it is: `source` is an http(s) address or the
 * path of a file, with `{channel}` in place of the name. Nothing leads anywhere else: not to another origin, not out of the folder.
 * Throws where there is none.
 */
export async function readNewestSegment(source: string, channel: string, signal: AbortSignal): Promise<Segment> {
  const place = source.replaceAll('{channel}', channel)
  const read = place.startsWith('/') ? readerOfFolder(dirname(place)) : readerOfOrigin(new URL(place).origin, signal)
  const first = await read(place, PLAYLIST_BYTES_MAX)
  const variant = variantIn(first.bytes.toString('utf8'))
  const { bytes: playlist, at } =
    variant === undefined ? first : await read(resolved(first.at, variant), PLAYLIST_BYTES_MAX)
  const { uri, seconds, head } = newestIn(playlist.toString('utf8'))
  const { bytes } = await read(resolved(at, uri), SEGMENT_BYTES_MAX)
  const bitrateKbps = Math.round((bytes.length * 8) / seconds / 1_000)
  if (head === undefined) return { bytes, seconds, bitrateKbps, format: 'mpegts' }
  const { bytes: before } = await read(resolved(at, head), SEGMENT_BYTES_MAX)
  return { bytes: Buffer.concat([before, bytes]), seconds, bitrateKbps, format: 'mov' }
}

/** `at`: where it was in the end. */
type Read = (place: string, bytesMax: number) => Promise<{ bytes: Buffer; at: string }>

const resolved = (at: string, uri: string) =>
  at.startsWith('/') ? resolve(dirname(at), uri.replace(/[?#].*$/s, '')) : new URL(uri, at).href

/** The first stream of a playlist of playlists (RFC 8216, section 4.3.4.2). */
const variantIn = (playlist: string) => /^#EXT-X-STREAM-INF:.*\r?\n(?:#.*\r?\n)*([^#\s]\S*)/m.exec(playlist)?.[1]

/** RFC 8216, section 4.3.2: durations stand before their segments. */
function newestIn(playlist: string): { uri: string; seconds: number; head: string | undefined } {
  if (/^#EXT-X-KEY:(?!METHOD=NONE)/m.test(playlist)) throw new Error('The segments are encrypted')
  const newest = [...playlist.matchAll(/^#EXTINF:([\d.]+).*\r?\n(?:#.*\r?\n)*([^#\s]\S*)/gm)].at(-1)
  const seconds = Number(newest?.[1])
  const uri = newest?.[2]
  if (uri === undefined || !(seconds > 0 && seconds <= SECONDS_MAX)) throw new Error('There is no segment yet')
  return { uri, seconds, head: /^#EXT-X-MAP:.*URI="([^"]+)"/m.exec(playlist)?.[1] }
}

function readerOfOrigin(origin: string, stopping: AbortSignal): Read {
  return async (place, bytesMax) => {
    using ending = new LinkedController({ signal: stopping, ms: ANSWER_MS })
    const { body, at } = await follow(place, origin, ending.signal)
    return { bytes: await collect(body, bytesMax), at }
  }
}

/** What is at an address, or where that leads: at this origin alone. */
async function follow(place: string, origin: string, signal: AbortSignal) {
  for (let at = place, redirects = 0; ; redirects++) {
    if (parseUrl(at)?.origin !== origin) throw new Error('The stream leads to another origin')
    const { ok, status, body, headers } = await fetch(at, { redirect: 'manual', signal })
    if (ok && body) return { body, at }
    await body?.cancel()
    const location = headers.get('location')
    if (status !== 302 || location === null || redirects === REDIRECTS_MAX)
      throw new Error(`The origin answered ${status}`)
    at = new URL(location, at).href
  }
}

function readerOfFolder(folder: string): Read {
  return async (place, bytesMax) => {
    if (!place.startsWith(folder === '/' ? folder : folder + sep))
      throw new Error('The playlist leads out of its folder')
    await using file = await open(place)
    return { bytes: await collect(file.createReadStream({ autoClose: false }), bytesMax), at: place }
  }
}

async function collect(chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const kept: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > bytesMax) throw new Error(`More than ${bytesMax} bytes`)
    kept.push(chunk)
  }
  return Buffer.concat(kept)
}
