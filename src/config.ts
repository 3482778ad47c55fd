import { existsSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { CronAccess } from './domain/core/context.ts'
import { isLoopbackHost, parseUrl } from './domain/core/url.ts'
import { projectFolder } from './project-folder.ts'

// Libraries read NODE_ENV when they are loaded, so main.ts and cli.ts import this file first.
process.env.NODE_ENV ??= 'production'

/** Lists all wrong or missing variables in one line, each with what is wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const onOff = (sentence: string) => z.enum(['on', 'off'], `must be on or off: ${sentence}`)
const whole = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,6}$/, message)
    .transform(Number)
    .pipe(z.number().min(least, message).max(most, message))
}
const printable = (least: number) =>
  z
    .string()
    .regex(new RegExp(`^[\\x21-\\x7E]{${least},}$`), `must be at least ${least} printable characters without spaces`)
const url = (schemes: RegExp, example: string) =>
  z.string().refine((text) => schemes.test(text) && !/\s/.test(text), `must be an address like ${example}`)
const postgresUrl = url(/^postgres(ql)?:\/\/[^/]/, 'postgres://user:password@host:5432/database')
const httpUrl = url(/^https?:\/\/[^/]/, 'https://developers.example').refine(
  (text) => parseUrl(text) !== undefined,
  'must be an absolute address',
)

const withoutSlash = (text: string) => text.replace(/\/+$/, '')

/** Paths of cookies, of OAuth's metadata (RFC 8414, section 3.1) and of every link begin at the root. */
function isOriginAlone(text: string): boolean {
  const { origin, href } = new URL(text)
  return href === `${origin}/`
}

/** Every variable that the service reads; README.md explains them. An empty value counts as absent. */
export const variables = {
  PORT: whole(1, 65_535).default(3000),
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'must be an address or a name to listen on')
    .default('127.0.0.1'),
  PUBLIC_URL: httpUrl
    .refine(
      (text) => !parseUrl(text) || isOriginAlone(text),
      'must be a scheme, a host and at most a port, such as https://developers.example: the service is at the root of its host, not below a path',
    )
    .transform((text) => new URL(text).origin)
    .optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_REPLICA_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  DATABASE_POOLER: z.enum(['session', 'transaction'], 'must be session or transaction').optional(),
  REDIS_URL: url(/^rediss?:\/\/[^/]/, 'redis://host:6379').optional(),
  NATS_URL: z
    .string()
    .regex(
      /^(nats|tls):\/\/[^/,\s]+(,\s*(nats|tls):\/\/[^/,\s]+)*$/,
      'must be an address like nats://host:4222, or several separated by commas',
    )
    .optional(),
  DATA_DIR: z
    .string()
    .default('.data')
    .transform((folder) => resolve(folder)),
  DEMO_DATA: onOff('whether demo data is made at the start').optional(),
  CRON_SECRET: printable(16).optional(),
  SECRET_KEYS: z
    .string()
    .transform((text) => text.split(',').map((key) => key.trim()))
    .refine(
      (keys) => keys.every((key) => key.length >= 32),
      'must be keys of at least 32 characters, separated by commas',
    )
    .optional(),
  WEBHOOK_WORKER: onOff('whether this process delivers webhooks').default('on'),
  WEBHOOK_ALLOW_PRIVATE: onOff('whether webhooks may lead into private networks').optional(),
  WEBHOOK_ALLOW_CIDRS: z
    .string()
    .transform((text) => text.split(',').map((range) => range.trim()))
    .refine((ranges) => ranges.every(isCidr), 'must be networks like 10.1.0.0/16, separated by commas')
    .optional(),
  WEBHOOK_PROXY_URL: httpUrl.optional(),
  WEB_CONCURRENCY: whole(1, 64).default(1),
  TRUST_PROXY: whole(0, 32).default(0),
  METRICS_PORT: whole(1, 65_535).optional(),
  INGEST_PORT: whole(1, 65_535).optional(),
  INGEST_SECRET: printable(16).optional(),
  INGEST_SERVER_URL: z
    .string()
    .regex(/^(rtmps?|srt|https?):\/\/[^\s/]+\S*$/, 'must be an address like rtmp://live.example/live')
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.transform(withoutSlash).optional(),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'must be a share from 0 to 1, such as 0.1')
    .transform(Number)
    .default(1),
  RATE_LIMITS: onOff('off is for load tests').default('on'),
  STREAM_LIMITS: onOff('off is for load tests').default('on'),
  SIGNUP: z.enum(['open', 'closed'], 'must be open or closed').default('open'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a level such as info or warn')
    .default('info'),
} as const satisfies Record<string, z.ZodType>

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
    traces: { endpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT, share: read.OTEL_TRACES_SAMPLER_ARG },
    hasRateLimits: read.RATE_LIMITS === 'on',
    hasStreamLimits: read.STREAM_LIMITS === 'on',
    signup: read.SIGNUP,
    logLevel: read.LOG_LEVEL,
  }
}

const ingestOf = ({ INGEST_SECRET, INGEST_SERVER_URL }: Environment) => ({
  secret: INGEST_SECRET,
  serverUrl: INGEST_SERVER_URL,
})

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

function isCidr(range: string): boolean {
  const [address = '', bits = ''] = range.split('/')
  const family = isIP(address)
  if (family === 0 || !/^\d{1,3}$/.test(bits)) return false
  try {
    new BlockList().addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4')
    return true
  } catch {
    return false
  }
}
