import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig, variables } from '../../src/config.ts'

const KEY = 'k'.repeat(32)

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
      signup: 'open',
      processes: 1,
      trustedProxies: 0,
      logLevel: 'info',
    })
  })

  test('beside a database of its own nothing of the demonstration is on', () => {
    const config = readConfig({ DATABASE_URL: 'postgres://app@db:5432/app', SECRET_KEYS: KEY })
    expect(config).toMatchObject({ isEmbedded: false, hasDemoData: false, targets: { allowPrivate: false } })
    expect(config.directUrl).toBe('postgres://app@db:5432/app')
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
    ['DATABASE_URL', 'mysql://db/app'],
    ['DATABASE_REPLICA_URL', 'db'],
    ['DATABASE_DIRECT_URL', 'http://db'],
    ['DATABASE_POOLER', 'statement'],
    ['REDIS_URL', 'localhost:6379'],
    ['DEMO_DATA', 'yes'],
    ['CRON_SECRET', 'two words'],
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
    ['SIGNUP', 'maybe'],
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

  test('what belongs to a database of its own is not silently ignored without one', () => {
    const url = 'postgres://app@db/app'
    expect(() => readConfig({ DATABASE_REPLICA_URL: url })).toThrow(/^DATABASE_REPLICA_URL needs DATABASE_URL/)
    expect(() => readConfig({ DATABASE_DIRECT_URL: url })).toThrow(/^DATABASE_DIRECT_URL needs DATABASE_URL/)
  })
})

test('.env.example names every variable, and no other', () => {
  const named = readFileSync('.env.example', 'utf8').match(/^# ([A-Z_]+)=/gm) ?? []
  expect(named.map((line) => line.slice(2, -1)).toSorted()).toEqual(Object.keys(variables).toSorted())
})
