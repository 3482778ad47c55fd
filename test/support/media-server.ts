import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

const NGINX = '/usr/sbin/nginx'
const MODULE = '/usr/lib/nginx/modules/ngx_rtmp_module.so'
export const FFMPEG = '/usr/bin/ffmpeg'

/** Why nothing can be streamed here; undefined where it can. */
export const missingOfStreams = [NGINX, MODULE, FFMPEG].every((file) => existsSync(file))
  ? undefined
  : 'needs the packages nginx-light, libnginx-mod-rtmp and ffmpeg'

/**
 * nginx with `ops/nginx-rtmp` as it stands, but for ports, folders, and times: a check every two seconds in place of ten, and as
 * long until a silent encoder is dropped. `hls` is where viewers get what channels send; all that it logs is in `logs`.
 */
export async function startNginxRtmp(folder: string, door: number) {
  const [port, site] = [await freePort(), await freePort()]
  const hls = join(folder, 'hls')
  mkdirSync(hls)
  const rtmp = readFileSync('ops/nginx-rtmp/nginx-rtmp.conf', 'utf8')
    .replace('listen 1935;', `listen 127.0.0.1:${port};`)
    .replace('127.0.0.1:1935', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:3002', `127.0.0.1:${door}`)
    .replace('/var/lib/nginx-rtmp/', `${folder}/`)
    .replace('notify_update_timeout 10s', 'notify_update_timeout 2s')
    .replace('drop_idle_publisher 10s', 'drop_idle_publisher 2s')
  const viewing = readFileSync('ops/nginx-rtmp/hls.conf', 'utf8')
    .replace('listen 8080;', `listen 127.0.0.1:${site};`)
    .replace('/var/lib/nginx-rtmp/', `${folder}/`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const logs = ['error.log', 'access.log'].map((name) => join(folder, name))
  const http = `http { access_log ${logs[1]}; ${paths.join(' ')}\n${viewing} }`
  const owner = process.getuid?.() === 0 ? 'user root; ' : ''
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `load_module ${MODULE}; ${owner}daemon off; pid ${folder}/pid; error_log ${logs[0]} warn; events {}\n${rtmp}\n${http}`,
  )
  const child = spawn(NGINX, ['-e', join(folder, 'error.log'), '-c', file], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  return {
    address: `rtmp://127.0.0.1:${port}/live`,
    hls: { folder: hls, base: `http://127.0.0.1:${site}/hls` },
    logs,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const picture = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=10', '-f', 'lavfi', '-i', 'sine']
const coding = [
  '-c:v',
  'libx264',
  '-preset',
  'ultrafast',
  '-g',
  '10',
  '-pix_fmt',
  'yuv420p',
  '-c:a',
  'aac',
  '-f',
  'flv',
]

/** An encoder that sends a test picture until it is stopped. */
export function startEncoder(address: string) {
  const child: ChildProcess = spawn(FFMPEG, ['-loglevel', 'error', ...picture, ...coding, address], { stdio: 'ignore' })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return {
    ended,
    /** It sends nothing more, and keeps its connection. */
    fallSilent: () => child.kill('SIGSTOP'),
    stop: (signal: NodeJS.Signals) => {
      child.kill(signal)
      return ended
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
