import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { createServer, connect as dial } from 'node:net'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Options, PostgresType, Sql } from 'postgres'

/**
 * What a fault needs: its process has no handler for uncaught exceptions, so that one which is thrown ends it, as it would
 * end the service. `DRIVER` names the folder of another copy of the driver, to see a fault without the patch.
 */
type DriverOptions = Options<Record<string, PostgresType>> & { max_pipeline?: number }
type Driver = { default: (options: DriverOptions) => Sql }

const target = JSON.parse(process.argv[2] ?? '{}') as { host: string; port: number; user: string; database: string }

/** The folder of the driver. */
export const driverFolder =
  process.env.DRIVER ?? join(dirname(createRequire(import.meta.url).resolve('postgres')), '../..')

const { default: driver } = (await import(pathToFileURL(join(driverFolder, 'src/index.js')).href)) as Driver

export function connect(options: DriverOptions): Sql {
  return driver({ ...target, fetch_types: false, onnotice() {}, ...options }) // as src/db/client.ts does
}

export const admin = connect({ max: 2 })

/** How a statement ended; the word that no promise of the driver may lead to when it takes longer than 5 s. */
export async function outcomeOf(work: PromiseLike<unknown>, ms = 5_000): Promise<string> {
  const silence = new Promise<string>((resolve) => {
    AbortSignal.timeout(ms).addEventListener('abort', () => resolve('never settled'))
  })
  const settled = Promise.resolve(work).then(
    () => 'resolved',
    (error: Error & { code?: string }) => error.code ?? error.message,
  )
  return Promise.race([settled, silence])
}

/** Kills a backend and resolves when it is gone. */
export async function terminate(pid: number): Promise<void> {
  await admin`select pg_terminate_backend(${pid}, 5000)`
}

/** Asks the server until the backend is in a statement that sleeps. */
export async function untilAsleep(pid: number): Promise<void> {
  for (let isAsleep = false; !isAsleep; ) {
    const [row] = await admin`select wait_event = 'PgSleep' as "isAsleep" from pg_stat_activity where pid = ${pid}`
    isAsleep = row?.isAsleep === true
  }
}

export async function backendOf(sql: Pick<Sql, 'unsafe'>): Promise<number> {
  const [row] = await sql.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid')
  return row?.pid ?? 0
}

export function dialServer(): Socket {
  const { host, port } = target
  return host.startsWith('/') ? dial(`${host}/.s.PGSQL.${port}`) : dial(port, host)
}

/** A TCP proxy in front of the server, whose connections a test can reset or freeze. */
export async function openProxy(): Promise<{ port: number; clients: Set<Socket> }> {
  const clients = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = dialServer()
    clients.add(client)
    client
      .on('error', () => {})
      .on('close', () => {
        clients.delete(client)
        server.destroy()
      })
    server.on('error', () => {})
    client.pipe(server).pipe(client)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const address = proxy.address()
  return { port: typeof address === 'object' && address ? address.port : 0, clients }
}

/** Fills a pool: each of its connections is open afterwards. */
export async function openAll(sql: Sql, max: number): Promise<void> {
  await Promise.all(Array.from({ length: max }, () => sql`select pg_sleep(0.05)`))
}

/** Ends this process with what was found as its only line. */
export function report(found: unknown): never {
  process.stdout.write(`${JSON.stringify(found)}\n`)
  process.exit(0)
}
