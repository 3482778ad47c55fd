import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Readable } from 'node:stream'
import type { Segment } from './hls.ts'

const THUMBNAIL_WIDTH = 640
const THUMBNAIL_HEIGHT = 360

/** Where it is looked for, unless its path is given; of our environment it has nothing. */
export const FFMPEG_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin' }

const JPEG_BYTES_MAX = 1024 * 1024
const SAID_BYTES_MAX = 4 * 1024
/** More than a picture of 5K has. What a segment says of its size costs memory before anything of it is decoded. */
const PIXELS_MAX = 16_777_216
/** Of what one process may have: addresses, of which a picture of 4K needs a tenth in memory, and seconds of a core. */
const MEMORY_KIB_MAX = 1_048_576
const CPU_S_MAX = 10
/** Sets these and becomes ffmpeg, with the same number, so that it is ffmpeg that is killed. Where a limit is not known there is none. */
const LIMITED = `ulimit -v ${MEMORY_KIB_MAX} 2>/dev/null; ulimit -t ${CPU_S_MAX} 2>/dev/null; exec "$@"`
const SHELL = '/bin/sh'
/** Above the other work of the machine stands what people wait for. */
const NICENESS = 10

/** The whole picture, with bars where its form is another one. */
const fit = `scale=${THUMBNAIL_WIDTH}:${THUMBNAIL_HEIGHT}:force_original_aspect_ratio=decrease,pad=${THUMBNAIL_WIDTH}:${THUMBNAIL_HEIGHT}:(ow-iw)/2:(oh-ih)/2`

/**
 * The first frame of a segment as a JPEG. ffmpeg is given bytes and opens nothing by itself: it knows no address, no file and none
 * of our environment; its pixels, its memory and its time on a core are bounded. It is killed when `signal` aborts.
 * Throws with what it said.
 */
export function frameOf({ bytes, format }: Segment, ffmpeg: string, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { signal, killSignal: 'SIGKILL', env: FFMPEG_ENVIRONMENT, cwd: '/' } as const
    const [program, ...given] = limited([ffmpeg, ...argumentsFor(format)])
    const child = spawn(program, given, options)
    if (child.pid !== undefined) lowerPriority(child.pid)
    const jpeg = collect(child.stdout, JPEG_BYTES_MAX, () => child.kill('SIGKILL'))
    const said = collect(child.stderr, SAID_BYTES_MAX, () => {})
    child.stdin.on('error', () => {}) // it needs no more than the first frame
    child.stdin.end(bytes)
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0 && isJpeg(jpeg[0])) resolve(Buffer.concat(jpeg))
      else reject(new Error(`ffmpeg made no picture: ${Buffer.concat(said).toString().trim() || `status ${code}`}`))
    })
  })
}

/** What comes of an output, which is closed once there is too much. */
function collect(output: Readable, bytesMax: number, onTooMuch: () => void): Buffer[] {
  const chunks: Buffer[] = []
  let size = 0
  output.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= bytesMax) return chunks.push(chunk)
    output.destroy()
    return onTooMuch()
  })
  return chunks
}

/** An image without a shell has the bound of pixels alone, and what its container may have. */
const limited = (command: [string, ...string[]]): [string, ...string[]] =>
  existsSync(SHELL) ? [SHELL, '-c', LIMITED, 'ffmpeg', ...command] : command

const argumentsFor = (format: Segment['format']) => [
  ...['-hide_banner', '-loglevel', 'error', '-nostdin', '-protocol_whitelist', 'pipe', '-threads', '1'],
  ...[
    '-max_pixels',
    String(PIXELS_MAX),
    '-f',
    format,
    '-i',
    'pipe:0',
    '-an',
    '-sn',
    '-dn',
    '-frames:v',
    '1',
    '-vf',
    fit,
    '-filter_threads',
    '1',
  ],
  ...['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-q:v', '5', '-threads', '1', '-f', 'image2pipe', 'pipe:1'],
]

const isJpeg = (start: Buffer | undefined) => start?.[0] === 0xff && start[1] === 0xd8

function lowerPriority(pid: number) {
  try {
    setPriority(pid, NICENESS)
  } catch {
    // it has ended already
  }
}
