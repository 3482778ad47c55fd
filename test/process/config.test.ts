import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { variables } from '../../src/environment.ts'
import { startWarnings } from '../../src/process/start-warnings.ts'

const KEY = 'k'.repeat(32)
const external = { DATABASE_URL: 'postgres://app@db:5432/app', SECRET_KEYS: KEY }

describe('the environment', () => {
  test('without variables, everything runs embedded, with demo data, for this machine alone', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://127.0.0.1:3000',
      isEmbedded: true,
      hasDemoData: true,
      targets: { allowPrivate: true, allowCidrs: [] },
      hasWorker: true,
      hasRateLimits: true,
      hasStreamLimits: true,
      signup: 'open',
      processes: 1,
      trustedProxies: 0,
      logLevel: 'info',
    })
  })

  test('beside a database of its own nothing of the demonstration is on', () => {
    const config = readConfig(external)
    expect(config).toMatchObject({ isEmbedded: false, hasDemoData: false, targets: { allowPrivate: false } })
    expect(config.directUrl).toBe('postgres://app@db:5432/app')
  })

  test.each([
    [{}, { private: true, demo: true, cron: 'this machine' }],
    [
      { HOST: '::1', PUBLIC_URL: 'http://localhost:8080' },
      { private: true, demo: true, cron: 'this machine' },
    ],
    [{ PUBLIC_URL: 'https://developers.example' }, { private: false, demo: true, cron: 'nobody' }],
    [{ HOST: '0.0.0.0' }, { private: false, demo: false, cron: 'nobody' }],
    [{ HOST: '::' }, { private: false, demo: false, cron: 'nobody' }],
    [
      { HOST: '192.0.2.1', PUBLIC_URL: 'http://127.0.0.1' },
      { private: false, demo: false, cron: 'nobody' },
    ],
    [{ PUBLIC_URL: 'http://127.0.0.1.evil.example' }, { private: false, demo: true, cron: 'nobody' }],
    [{ TRUST_PROXY: '1' }, { private: true, demo: true, cron: 'nobody' }],
    [
      { ...external, HOST: '0.0.0.0' },
      { private: false, demo: false, cron: 'this machine' },
    ],
    [
      { ...external, PUBLIC_URL: 'https://developers.example', TRUST_PROXY: '1' },
      { private: false, demo: false, cron: 'nobody' },
    ],
    [
      { HOST: '0.0.0.0', DEMO_DATA: 'on', WEBHOOK_ALLOW_PRIVATE: 'on' },
      { private: true, demo: true, cron: 'nobody' },
    ],
  ])(
    'what is only for this machine is off where others may reach it: %j',
    (given, { private: allowPrivate, demo, cron }) => {
      const { targets, hasDemoData, cronAccess } = readConfig(given)
      expect({ allowPrivate: targets.allowPrivate, hasDemoData, cronAccess }).toEqual({
        allowPrivate,
        hasDemoData: demo,
        cronAccess: cron,
      })
    },
  )

  test.each([
    [{ WEBHOOK_WORKER: 'off', TRUST_PROXY: '1' }, 1],
    [{ WEBHOOK_WORKER: 'off', TRUST_PROXY: '1', CRON_SECRET: 'c'.repeat(16) }, 0],
    [{ WEBHOOK_WORKER: 'off' }, 0],
    [{ TRUST_PROXY: '1' }, 0],
  ])('who leaves nobody to deliver is warned of it at the start: %j', (given, warnings) => {
    expect(startWarnings(readConfig(given)).filter((line) => /CRON_SECRET/.test(line))).toHaveLength(warnings)
  })

  test('the ports of the service are no place for webhooks', () => {
    const given = { PORT: '3001', METRICS_PORT: '9464', INGEST_PORT: '3002' }
    expect(readConfig(given).targets.ownPorts).toEqual([3001, 9464, 3002])
  })

  test('an empty value counts as absent', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '', DEMO_DATA: '' })).toMatchObject({ port: 3000, isEmbedded: true })
  })

  test('the first key signs, and all are kept', () => {
    const other = 'o'.repeat(40)
    expect(readConfig({ SECRET_KEYS: `${KEY}, ${other}` }).secretKeys).toEqual([KEY, other])
  })

  test('links never end in a slash, and a listener on all addresses is called by one that can be reached', () => {
    expect(readConfig({ PUBLIC_URL: 'https://api.example/' }).publicUrl).toBe('https://api.example')
    expect(readConfig({ PUBLIC_URL: 'https://API.example:443' }).publicUrl).toBe('https://api.example')
    expect(readConfig({ HOST: '0.0.0.0', PORT: '80' }).publicUrl).toBe('http://127.0.0.1:80')
    expect(readConfig({ HOST: '::1' }).publicUrl).toBe('http://[::1]:3000')
  })

  test('the values cannot be changed', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true)
  })
})

describe('a wrong value stops the start with one line that names the variable', () => {
  test.each([
    ['PORT', 'abc'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3e3'],
    ['HOST', 'two words'],
    ['PUBLIC_URL', 'developers.example'],
    ['PUBLIC_URL', 'https://[bad'],
    ['PUBLIC_URL', 'https://a.example/?x'],
    ['PUBLIC_URL', 'https://a.example/#x'],
    ['PUBLIC_URL', 'https://a.example/dev'],
    ['PUBLIC_URL', 'https://a.example/dev/'],
    ['PUBLIC_URL', 'https://user:pass@a.example'],
    ['DATABASE_URL', 'mysql://db/app'],
    ['DATABASE_REPLICA_URL', 'db'],
    ['DATABASE_DIRECT_URL', 'http://db'],
    ['DATABASE_POOLER', 'statement'],
    ['REDIS_URL', 'localhost:6379'],
    ['DEMO_DATA', 'yes'],
    ['CRON_SECRET', 'two words of enough length'],
    ['CRON_SECRET', 'only-15-letters'],
    ['INGEST_PORT', '0'],
    ['INGEST_SECRET', 'only-15-letters'],
    ['INGEST_HLS_URL', 'http://127.0.0.1:8080/hls/stream.m3u8'],
    ['INGEST_HLS_URL', 'http://{channel}.example/hls.m3u8'],
    ['INGEST_HLS_URL', 'file:///{channel}.m3u8'],
    ['THUMBNAIL_S3_URL', 'https://s3.example/bucket'],
    ['THUMBNAIL_S3_URL', 'https://key:secret@s3.example/'],
    ['THUMBNAIL_CONCURRENCY', '0'],
    ['INGEST_SERVER_URL', 'live.example/live'],
    ['SECRET_KEYS', 'short'],
    ['SECRET_KEYS', `${KEY},`],
    ['WEBHOOK_WORKER', 'true'],
    ['WEBHOOK_ALLOW_PRIVATE', '1'],
    ['WEBHOOK_ALLOW_CIDRS', '10.0.0.0'],
    ['WEBHOOK_ALLOW_CIDRS', '10.0.0.0/33'],
    ['WEBHOOK_ALLOW_CIDRS', '10.0.0.0/8,nonsense'],
    ['WEBHOOK_PROXY_URL', 'proxy:3128'],
    ['WEB_CONCURRENCY', '0'],
    ['WEB_CONCURRENCY', '5'],
    ['TRUST_PROXY', 'yes'],
    ['METRICS_PORT', 'on'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_TRACES_SAMPLER_ARG', '10'],
    ['RATE_LIMITS', 'none'],
    ['STREAM_LIMITS', 'none'],
    ['SIGNUP', 'maybe'],
    ['REQUIRE_SECOND_FACTOR', 'everybody'],
    ['LOG_LEVEL', 'loud'],
  ])('%s=%s', (name, value) => {
    const read = () => readConfig({ [name]: value })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(new RegExp(`^${name} .+$`))
  })

  test('several at once are told at once, each by its first fault', () => {
    const read = () => readConfig({ PORT: '0', HOST: 'two words', DATABASE_URL: 'postgres://app@db/app' })
    expect(read).toThrow(/^PORT must .+; HOST must .+; SECRET_KEYS is required [^\n]+$/)
  })

  test('secrets and addresses with passwords are not repeated in it', () => {
    expect(() => readConfig({ SECRET_KEYS: 'hunter2' })).not.toThrow(/hunter2/)
    expect(() => readConfig({ DATABASE_URL: 'pg://app:hunter2@db/app' })).not.toThrow(/hunter2/)
  })

  test('a database of its own wants SECRET_KEYS, and the line tells how to make one', () => {
    expect(() => readConfig({ DATABASE_URL: 'postgres://app@db/app' })).toThrow(/^SECRET_KEYS is required .*node -p/)
  })

  test('behind a pooler of transactions, where nothing is heard, the server itself is asked for', () => {
    const behind = {
      DATABASE_URL: 'postgres://app@pooler/app',
      DATABASE_POOLER: 'transaction',
      SECRET_KEYS: 'k'.repeat(43),
    }
    expect(() => readConfig(behind)).toThrow(/^DATABASE_DIRECT_URL is required with DATABASE_POOLER=transaction/)
    const direct = 'postgres://app@db/app'
    expect(readConfig({ ...behind, DATABASE_DIRECT_URL: direct })).toMatchObject({ directUrl: direct })
    expect(readConfig({ ...behind, DATABASE_POOLER: 'session' })).toMatchObject({ directUrl: behind.DATABASE_URL })
  })

  test('what belongs to a database of its own is not silently ignored without one', () => {
    const url = 'postgres://app@db/app'
    expect(() => readConfig({ DATABASE_REPLICA_URL: url })).toThrow(/^DATABASE_REPLICA_URL needs DATABASE_URL/)
    expect(() => readConfig({ DATABASE_DIRECT_URL: url })).toThrow(/^DATABASE_DIRECT_URL needs DATABASE_URL/)
    expect(() => readConfig({ DATABASE_POOLER: 'transaction' })).toThrow(/^DATABASE_POOLER needs DATABASE_URL/)
  })
})

test('.env.example names every variable, and no other', () => {
  const named = readFileSync('.env.example', 'utf8').match(/^# ([A-Z0-9_]+)=/gm) ?? []
  expect(named.map((line) => line.slice(2, -1)).toSorted()).toEqual(Object.keys(variables).toSorted())
})
