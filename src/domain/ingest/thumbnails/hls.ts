import { open } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { parseUrl } from '../../core/url.ts'

/** The newest piece of a stream: with its head, where its format has one apart. */
export type Segment = { bytes: Buffer; seconds: number; bitrateKbps: number; format: 'mpegts' | 'mov' }

const PLAYLIST_BYTES_MAX = 256 * 1024
/** Ten seconds at 12 Mbit/s. */
const SEGMENT_BYTES_MAX = 15 * 1024 * 1024
const ANSWER_MS = 5_000
const SECONDS_MAX = 60

/**
 * Reads the newest segment of a channel's HLS from where the operator has said that it is: `source` is an http(s) address or the
 * path of a file, with `{channel}` in place of the name. Playlists lead nowhere else: not to another origin, not out of the folder.
 * Throws where there is none.
 */
export async function readNewestSegment(source: string, channel: string, signal: AbortSignal): Promise<Segment> {
  const place = source.replaceAll('{channel}', channel)
  const read = place.startsWith('/') ? readerOfFolder(dirname(place)) : readerOfOrigin(new URL(place).origin, signal)
  let at = place
  let playlist = await readText(read, at)
  const variant = variantIn(playlist)
  if (variant !== undefined) {
    at = resolved(at, variant)
    playlist = await readText(read, at)
  }
  const { uri, seconds, head } = newestIn(playlist)
  const bytes = await read(resolved(at, uri), SEGMENT_BYTES_MAX)
  const bitrateKbps = Math.round((bytes.length * 8) / seconds / 1_000)
  if (head === undefined) return { bytes, seconds, bitrateKbps, format: 'mpegts' }
  const whole = Buffer.concat([await read(resolved(at, head), SEGMENT_BYTES_MAX), bytes])
  return { bytes: whole, seconds, bitrateKbps, format: 'mov' }
}

type Read = (place: string, bytesMax: number) => Promise<Buffer>

const readText = async (read: Read, place: string) => (await read(place, PLAYLIST_BYTES_MAX)).toString('utf8')

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
    if (parseUrl(place)?.origin !== origin) throw new Error('The playlist leads to another origin')
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)])
    const response = await fetch(place, { redirect: 'error', signal })
    if (!response.ok || !response.body) throw new Error(`The origin answered ${response.status}`)
    return collect(response.body, bytesMax)
  }
}

function readerOfFolder(folder: string): Read {
  return async (place, bytesMax) => {
    if (!place.startsWith(folder === '/' ? folder : folder + sep))
      throw new Error('The playlist leads out of its folder')
    await using file = await open(place)
    return await collect(file.createReadStream({ autoClose: false }), bytesMax)
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
