import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import type { CronAccess } from './domain/core/context.ts'
import { isLoopbackHost } from './domain/core/url.ts'
import { variables } from './environment.ts'
import { projectFolder } from './project-folder.ts'

// Libraries read NODE_ENV when they are loaded, so main.ts and cli.ts import this file first.
process.env.NODE_ENV ??= 'production'

/** Lists all wrong or missing variables in one line, each with what is wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const Environment = z.object(variables)
type Environment = z.output<typeof Environment>
export type Config = Readonly<ReturnType<typeof configOf>>

/**
 * The configuration of this process, from its environment and from `.env` beside package.json, wherever it is started; the
 * environment takes precedence. Throws `ConfigError`.
 */
export function loadConfig(): Config {
  const file = join(projectFolder, '.env')
  if (existsSync(file)) loadFile(file)
  return readConfig(process.env)
}

function loadFile(file: string) {
  try {
    process.loadEnvFile(file)
  } catch (error) {
    const what = `${file} cannot be read: make it a file that this user may read, or remove it`
    throw new ConfigError(what, { cause: error })
  }
}

/** The configuration from the given variables. Throws `ConfigError`. */
export function readConfig(given: Readonly<Record<string, string | undefined>>): Config {
  const present = Object.fromEntries(Object.entries(given).filter(([name, value]) => name in variables && value !== ''))
  const parsed = Environment.safeParse(present)
  const faults = [...faultsIn(parsed.error?.issues ?? []), ...contradictionsIn(present)]
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults.join('; '))
  return Object.freeze(configOf(parsed.data))
}

/** One sentence for each wrong variable: its first issue. */
function faultsIn(issues: readonly { path: PropertyKey[]; message: string }[]): string[] {
  const lines = new Map<string, string>()
  for (const { path, message } of issues) {
    const name = path.join('.')
    if (!lines.has(name)) lines.set(name, `${name} ${message}`)
  }
  return [...lines.values()]
}

function configOf(read: Environment) {
  const isEmbedded = read.DATABASE_URL === undefined
  const publicUrl = read.PUBLIC_URL ?? `http://${localHost(read.HOST)}:${read.PORT}`
  const listensHere = isLoopbackHost(read.HOST)
  const isForThisMachine = listensHere && isLoopbackHost(new URL(publicUrl).hostname)
  return {
    port: read.PORT,
    host: read.HOST,
    publicUrl,
    dataDir: read.DATA_DIR,
    isEmbedded,
    databaseUrl: read.DATABASE_URL,
    replicaUrl: read.DATABASE_REPLICA_URL,
    directUrl: read.DATABASE_DIRECT_URL ?? read.DATABASE_URL,
    pooler: read.DATABASE_POOLER,
    redisUrl: read.REDIS_URL,
    natsUrl: read.NATS_URL,
    smtpUrl: read.SMTP_URL,
    mailFrom: read.MAIL_FROM ?? localSender(publicUrl),
    hasDemoData: isOn(read.DEMO_DATA, isEmbedded && listensHere),
    cronAccess: cronAccessOf(read, isEmbedded, isForThisMachine),
    secretKeys: read.SECRET_KEYS,
    hasWorker: read.WEBHOOK_WORKER === 'on',
    targets: {
      allowPrivate: isOn(read.WEBHOOK_ALLOW_PRIVATE, isEmbedded && isForThisMachine),
      allowCidrs: read.WEBHOOK_ALLOW_CIDRS ?? [],
      proxyUrl: read.WEBHOOK_PROXY_URL,
      ownPorts: [read.PORT, read.METRICS_PORT, read.INGEST_PORT].filter((port) => port !== undefined),
    },
    processes: read.WEB_CONCURRENCY,
    trustedProxies: read.TRUST_PROXY,
    metricsPort: read.METRICS_PORT,
    ingestPort: read.INGEST_PORT,
    ingest: read.INGEST_PORT === undefined ? undefined : ingestOf(read),
    pictures: picturesOf(read),
    traces: { endpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT, share: read.OTEL_TRACES_SAMPLER_ARG },
    hasRateLimits: read.RATE_LIMITS === 'on',
    hasStreamLimits: read.STREAM_LIMITS === 'on',
    signup: read.SIGNUP,
    secondFactor: read.REQUIRE_SECOND_FACTOR,
    readsClientDocuments: read.CLIENT_ID_METADATA === 'on',
    logLevel: read.LOG_LEVEL,
  }
}

/** Pictures are taken of what encoders send, where it is said how viewers get that. */
function picturesOf(read: Environment) {
  if (read.INGEST_PORT === undefined || read.INGEST_HLS_URL === undefined) return undefined
  return {
    source: read.INGEST_HLS_URL,
    storeUrl: read.THUMBNAIL_S3_URL,
    atOnce: read.THUMBNAIL_CONCURRENCY,
    ffmpeg: read.FFMPEG_PATH,
  }
}

const ingestOf = ({ INGEST_SECRET, INGEST_SERVER_URL }: Environment) => ({
  secret: INGEST_SECRET,
  serverUrl: INGEST_SERVER_URL,
})
/** Whom mails come from that are only written to files: nobody answers to it. */
function localSender(publicUrl: string) {
  const { hostname } = new URL(publicUrl)
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  return { name: 'Developer API', address: `no-reply@${isName ? hostname : 'localhost'}` }
}

/**
 * Without a secret nobody is let in but this machine, and not even that where a proxy on it may call for strangers: behind
 * one that is known, and at an embedded service with a public address, which is known to nobody's deployment.
 */
function cronAccessOf(
  { CRON_SECRET: secret, TRUST_PROXY }: Environment,
  isEmbedded: boolean,
  isForThisMachine: boolean,
): CronAccess {
  if (secret !== undefined) return { secret }
  return TRUST_PROXY > 0 || (isEmbedded && !isForThisMachine) ? 'nobody' : 'this machine'
}

/** The embedded server accepts 60 connections, and a process needs 11. */
const EMBEDDED_PROCESSES_MAX = 4

/** Variables that are valid by themselves but not together. */
function contradictionsIn(present: Partial<Record<string, unknown>>): string[] {
  const faults = databaseContradictionsIn(present)
  if (present.SMTP_URL !== undefined && present.MAIL_FROM === undefined)
    faults.push('MAIL_FROM is required with SMTP_URL: the address that mails come from')
  return faults
}

function databaseContradictionsIn(present: Partial<Record<string, unknown>>): string[] {
  if (present.DATABASE_URL !== undefined) return lackingBesideUrl(present)
  const faults = ['DATABASE_DIRECT_URL', 'DATABASE_POOLER', 'DATABASE_REPLICA_URL']
    .filter((name) => present[name] !== undefined)
    .map((name) => `${name} needs DATABASE_URL beside it`)
  const isCrowded = Number(present.WEB_CONCURRENCY) > EMBEDDED_PROCESSES_MAX
  if (isCrowded) faults.push(`WEB_CONCURRENCY must be at most ${EMBEDDED_PROCESSES_MAX} without DATABASE_URL`)
  return faults
}

function lackingBesideUrl(present: Partial<Record<string, unknown>>): string[] {
  const faults: string[] = []
  if (present.SECRET_KEYS === undefined) {
    const command = `node -p "crypto.randomBytes(32).toString('base64url')"`
    faults.push(`SECRET_KEYS is required with DATABASE_URL (make one with: ${command})`)
  }
  if (present.DATABASE_POOLER === 'transaction' && present.DATABASE_DIRECT_URL === undefined) {
    const reason = 'LISTEN and migrations need a session of the server itself'
    faults.push(`DATABASE_DIRECT_URL is required with DATABASE_POOLER=transaction: ${reason}`)
  }
  return faults
}

const isOn = (value: 'on' | 'off' | undefined, otherwise: boolean) => (value === undefined ? otherwise : value === 'on')

/** The host by which a client on this machine reaches the service. */
function localHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIP(host) === 6 ? `[${host}]` : host
}
