import { BlockList, isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseUrl } from './domain/core/url.ts'

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

/** `name@host`, or `Some Name <name@host>`: nothing in it that could begin another address or a line. */
const MAIL_FROM =
  /^(?:(?<name>[^\p{C}<>@",;:\\]*?) ?<(?<bracketed>[^\s\p{C}<>@",;:\\]+@[\w.-]+)>|(?<bare>[^\s\p{C}<>@",;:\\]+@[\w.-]+))$/u

function mailSenderIn(text: string) {
  const { name = '', bracketed, bare = '' } = MAIL_FROM.exec(text)?.groups ?? {}
  return { name, address: bracketed ?? bare }
}

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
  SMTP_URL: url(/^smtps?:\/\/[^/]/, 'smtps://user:password@mail.example:465').optional(),
  MAIL_FROM: z
    .string()
    .regex(
      MAIL_FROM,
      'must be an address, or a name and an address, such as Developer API <no-reply@developers.example>',
    )
    .transform(mailSenderIn)
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
  INGEST_HLS_URL: z
    .string()
    .regex(
      /^(https?:\/\/[^\s/@{]+)?\/[^\s{]*\{channel\}[^\s{]*$/,
      'must be an address or a file with {channel} in it, such as http://127.0.0.1:8080/hls/{channel}.m3u8',
    )
    .optional(),
  THUMBNAIL_S3_URL: z
    .string()
    .regex(
      /^https?:\/\/[^\s:@/]+:[^\s@/]+@[^\s@/]+\/[^\s/?]+\S*$/,
      'must be an address like https://KEY:SECRET@s3.example/bucket/thumbnails?region=eu-1, with reserved characters percent-encoded',
    )
    .optional(),
  THUMBNAIL_CONCURRENCY: whole(1, 64).default(2),
  FFMPEG_PATH: z.string().default('ffmpeg'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.transform(withoutSlash).optional(),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'must be a share from 0 to 1, such as 0.1')
    .transform(Number)
    .default(1),
  RATE_LIMITS: onOff('off is for load tests').default('on'),
  STREAM_LIMITS: onOff('off is for load tests').default('on'),
  CLIENT_ID_METADATA: onOff('off lets in no application that describes itself at its own address').default('on'),
  SIGNUP: z.enum(['open', 'closed'], 'must be open or closed').default('open'),
  REQUIRE_SECOND_FACTOR: z.enum(['off', 'developers', 'all'], 'must be off, developers or all').default('off'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a level such as info or warn')
    .default('info'),
} as const satisfies Record<string, z.ZodType>

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
