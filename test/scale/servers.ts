import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { chmod, chown } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'

// The servers of an installation that has outgrown one machine, on loopback, from Debian's packages:
// apt-get install postgresql pgbouncer redis-server; their services may stay off.

const POSTGRES = '/usr/lib/postgresql'
const UP_WITHIN_MS = 30_000

/** Why the servers cannot be started here; undefined when they can. */
export function missingServers(): string | undefined {
  const lacks = [
    ...(postgresFolder() ? [] : ['postgresql']),
    ...(existsSync('/usr/sbin/pgbouncer') ? [] : ['pgbouncer']),
    ...(existsSync('/usr/bin/redis-server') ? [] : ['redis-server']),
  ]
  return lacks.length > 0 ? `needs the packages ${lacks.join(', ')}` : undefined
}

function postgresFolder(): string | undefined {
  if (!existsSync(POSTGRES)) return undefined
  const versions = readdirSync(POSTGRES).filter((version) => existsSync(join(POSTGRES, version, 'bin/pg_basebackup')))
  const [newest] = versions.toSorted((a, b) => Number(b) - Number(a))
  return newest && join(POSTGRES, newest, 'bin')
}

export type Servers = Awaited<ReturnType<typeof startServers>>

/** A primary, a streaming replica, PgBouncer in transaction mode before the primary, and Redis; gone when disposed of. */
export async function startServers() {
  const folder = mkdtempSync(join(tmpdir(), 'scale-'))
  const bin = postgresFolder() ?? ''
  const owner = await ownerOf(folder)
  const running: ChildProcess[] = []
  const [primaryPort, replicaPort, poolerPort, redisPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const make = (program: string, ...args: string[]) =>
    execFileSync(program, args, { ...owner, cwd: folder, stdio: 'pipe' })
  const start = async (port: number, program: string, ...args: string[]) => {
    const child = spawn(program, args, { ...owner, cwd: folder, stdio: 'ignore' })
    running.push(child)
    await Promise.race([untilOpen(port), once(child, 'exit')])
    return child
  }
  const postgres = async (data: string, port: number) => {
    const options = ['-D', data, '-p', `${port}`, '-k', folder, '-c', 'listen_addresses=127.0.0.1']
    const server = await start(port, `${bin}/postgres`, ...options)
    await untilReady(server, join(bin, 'pg_isready'), port)
    return server
  }

  const primaryData = join(folder, 'primary')
  const replicaData = join(folder, 'replica')
  make(`${bin}/initdb`, '-D', primaryData, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C')
  writeFileSync(join(primaryData, 'postgresql.auto.conf'), 'max_connections = 100\n')
  let primary = await postgres(primaryData, primaryPort)
  make(
    `${bin}/pg_basebackup`,
    '-h',
    '127.0.0.1',
    '-p',
    `${primaryPort}`,
    '-U',
    'postgres',
    '-D',
    replicaData,
    '-R',
    '-c',
    'fast',
    '-N',
  )
  const replica = await postgres(replicaData, replicaPort)
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(settings, poolerSettings(primaryPort, poolerPort))
  await start(poolerPort, '/usr/sbin/pgbouncer', settings)
  const redis = await start(
    redisPort,
    '/usr/bin/redis-server',
    '--port',
    `${redisPort}`,
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  )

  return {
    /** The primary itself, for LISTEN and migrations. */
    direct: `postgres://postgres@127.0.0.1:${primaryPort}/postgres`,
    pooled: `postgres://postgres@127.0.0.1:${poolerPort}/postgres`,
    copy: `postgres://postgres@127.0.0.1:${replicaPort}/postgres`,
    counters: `redis://127.0.0.1:${redisPort}`,
    /** The whole server, as by the kernel when memory runs out, and starts it again. */
    async killPrimary() {
      primary.kill('SIGKILL')
      await once(primary, 'exit')
      rmSync(join(primaryData, 'postmaster.pid'), { force: true })
      while (primary.exitCode !== null || primary.signalCode !== null) {
        primary = await postgres(primaryData, primaryPort) // it ends at once while a backend of the last one is left
      }
    },
    replica,
    redis,
    async [Symbol.asyncDispose]() {
      for (const child of running.toReversed()) await end(child)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const poolerSettings = (to: number, on: number) => `[databases]
* = host=127.0.0.1 port=${to} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${on}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 500
`

/** PostgreSQL does not run as root; what it writes to must be its user's. */
async function ownerOf(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const id = (what: string) => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }))
  const owner = { uid: id('-u'), gid: id('-g') }
  await chown(folder, owner.uid, owner.gid)
  await chmod(folder, 0o755)
  return owner
}

async function untilOpen(port: number) {
  const until = performance.now() + UP_WITHIN_MS
  while (performance.now() < until) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await after(50)
  }
  throw new Error(`Nothing listens on port ${port}`)
}

/** A port is open before the server lets anybody in: it recovers first. */
async function untilReady(server: ChildProcess, pgIsReady: string, port: number) {
  const until = performance.now() + UP_WITHIN_MS
  while (server.exitCode === null && server.signalCode === null) {
    if (spawnSync(pgIsReady, ['-q', '-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres']).status === 0) return
    if (performance.now() > until) throw new Error(`PostgreSQL on port ${port} lets nobody in`)
    await after(50)
  }
}

/** At once: nothing of it is kept. */
export async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(child.spawnfile.endsWith('postgres') ? 'SIGQUIT' : 'SIGTERM')
  await ended
}
