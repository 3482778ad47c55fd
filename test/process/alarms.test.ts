import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/config.ts'
import { redisCounters } from '../../src/counters/shared-counters.ts'
import { connect } from '../../src/db/client.ts'
import { maintainPartitions } from '../../src/db/partitions.ts'
import { endClient, openPools } from '../../src/db/pools.ts'
import { mails } from '../../src/db/schema/index.ts'
import type { Context } from '../../src/domain/core/context.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { changeFacts } from '../../src/domain/mail/change-facts.ts'
import { queueMail } from '../../src/domain/mail/queue-mail.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import { collectMetrics, openMetrics } from '../../src/process/metrics/metrics.ts'
import { watchBulkhead } from '../../src/process/metrics/statements.ts'
import { LoadLimit } from '../../src/rest/http/load-limit.ts'
import { exposition } from '../../src/telemetry/exposition.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { createStage } from '../webhooks/support/stage.ts'

type Rule = { alert: string; expr: string; annotations: { summary: string } }

const { groups } = parse(readFileSync('ops/prometheus/alerts.yml', 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const expressionOf = (alert: string) => rules.find((rule) => rule.alert === alert)?.expr ?? ''

const DAY_MS = 86_400_000
const stage = await createStage({ now: () => new Date() })
afterAll(() => stage[Symbol.asyncDispose]())

/** What Prometheus would read of this process: the greatest sample of each metric, by the labels that an alert may ask for. */
async function scrape(context: Context | null = stage.context) {
  const metrics = await openMetrics(readConfig({ METRICS_PORT: '9464' }), new LoadLimit())
  if (!metrics) throw new Error('METRICS_PORT opens the metrics')
  const text = await exposition(await collectMetrics({ metrics, contextOf: () => context ?? undefined }, true))
  const samples = [...text.matchAll(/^(\w+)(\{[^}]*\})? (\S+)$/gm)]
  return (name: string, labels = /^/) =>
    samples
      .filter(([, own, of = '']) => own === name && labels.test(of))
      .reduce((sum, [, , , value]) => sum + Number(value), 0)
}

/** Whether `max(metric) > 30` and the like are true. */
async function fires(alert: string, context?: Context | null): Promise<boolean> {
  const [, name = '', operator, bound = ''] =
    /^(?:max|min)(?: by \(\w+\) )?\((\w+)\) (<|>|==) (.+)$/.exec(expressionOf(alert)) ?? []
  expect(name, `the expression of ${alert}`).not.toBe('')
  const value = (await scrape(context))(name)
  const limit = bound.split('*').reduce((product, factor) => product * Number(factor), 1)
  if (operator === '==') return value === limit
  return operator === '<' ? value < limit : value > limit
}

test('the summary of an alarm names only what its expression still knows', () => {
  for (const { alert, expr, annotations } of rules) {
    const named = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label)
    const kept = [...expr.matchAll(/\b(?:sum|max|min)(?: by \(([\w, ]+)\))?/g)].map(([, labels = '']) =>
      labels.split(', '),
    )
    for (const label of named) for (const labels of kept) expect(labels, alert).toContain(label)
  }
})

describe('an alarm is silent while all is well, and fires when', () => {
  test('the database does not answer', async () => {
    expect(await fires('DatabaseDown')).toBe(false)
    expect(await fires('DatabaseDown', null), 'nor has answered since the start').toBe(true)
    await using proxy = await createDatabaseProxy(stage.target)
    await using pools = openPools(proxy.target)
    await pools.db.execute('select 1')
    await proxy.takeAway()
    expect(await fires('DatabaseDown', { ...stage.context, ...pools })).toBe(true)
    await proxy.giveBack() // a pool that waits for its database takes long to close
  })

  test('statements hold their share of the connections, and others like them are refused', async () => {
    const tell = watchBulkhead(stage.context.log) // test/database/bulkhead.process.ts has the cause
    expect(await fires('StatementsBarred')).toBe(false)
    tell(['select id from chat_messages'])
    expect(await fires('StatementsBarred')).toBe(true)
    tell([])
    expect(await fires('StatementsBarred')).toBe(false)
  })

  test('what is due is not begun', async () => {
    const { say, pass } = await stage.scene()
    expect(await fires('DeliveriesLate')).toBe(false)
    await say()
    await pass(31_000)
    expect(await fires('DeliveriesLate')).toBe(true)
    await stage.work()
    expect(await fires('DeliveriesLate')).toBe(false)
  })

  test('the partition of the day after tomorrow is missing', async () => {
    await maintainPartitions(stage.context.slow) // as the hourly maintenance does
    expect(await fires('PartitionsRunOut')).toBe(false)
    const future = await stage.run(`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'events'::regclass and right(c.relname, 8) > '${dayOf(1)}'`)
    for (const { name } of future) await stage.run(`drop table ${String(name)}`)
    expect(await fires('PartitionsRunOut')).toBe(true)
  })

  test('rate limits are counted by each process alone', async () => {
    expect(await fires('RateLimitsAlone')).toBe(false)
    await using counters = await redisCounters(`redis://127.0.0.1:${await freePort()}`)
    await counters.take({ name: 'any', points: 1, windowS: 1 }, 'a')
    expect(await fires('RateLimitsAlone')).toBe(true)
  })

  test('a mail has waited for long', async () => {
    const { context } = stage
    expect(await fires('MailsWait')).toBe(false)
    const to = { userId: null, address: 'ada@example.org' }
    await transact(context, (tx) => queueMail(tx, 'password_changed', to, changeFacts(context, 'ada')))
    await stage.elapse(mails, 'queuedAt', 901_000)
    expect(await fires('MailsWait')).toBe(true)
    await sendDueMails(context)
    expect(await fires('MailsWait')).toBe(false)
  })

  test('results of attempts come when somebody else holds the delivery', async () => {
    const lost = async () => (await scrape())('webhook_lost_leases_total')
    const before = await lost()
    let answer: () => void = () => {}
    const late = new Promise<object>((resolve) => {
      answer = () => resolve({ status: 500 })
    })
    const { say, pass, receiver, change } = await stage.scene((_, n) => (n <= 11 ? late : {}))
    await change({ sendWindow: 32, attemptMs: 100 }) // one that never answered gets no eleven at once
    for (let n = 0; n < 11; n++) await say(`${n}`)
    const slow = stage.work()
    await receiver.received(11)
    await pass(40_000)
    const quick = stage.work()
    await receiver.received(22)
    answer()
    await Promise.all([slow, quick])
    const [, bound] = /> (\d+)$/.exec(expressionOf('LeasesLost')) ?? []
    expect((await lost()) - before).toBeGreaterThan(Number(bound))
  })

  test('every second attempt fails', async () => {
    const metrics = async () => {
      const read = await scrape()
      return {
        bad: read('webhook_attempts_total', /outcome="(failed|retried)"/),
        all: read('webhook_attempts_total', /outcome="(?!released)/),
      }
    }
    const before = await metrics()
    const scenes = await Promise.all([500, 410, 204].map((status) => stage.scene(() => ({ status }))))
    for (const { say } of scenes) await say()
    await stage.work()
    const after = await metrics()
    const [, bound] = /> (\S+)\s*$/.exec(expressionOf('DeliveriesFail')) ?? []
    expect((after.bad - before.bad) / (after.all - before.all)).toBeGreaterThan(Number(bound))
  })

  test('first attempts begin long after their event', async () => {
    const name = 'webhook_publish_to_arrival_seconds'
    const below = async () => (await scrape())(`${name}_bucket`, /le="5"/)
    const count = async () => (await scrape())(`${name}_count`)
    const [belowBefore, countBefore] = [await below(), await count()]
    const { say } = await stage.scene()
    await say()
    await stage.run(`update webhook_deliveries set created_at = created_at - interval '6 s' where lane = 0`)
    await stage.work()
    expect([(await below()) - belowBefore, (await count()) - countBefore]).toEqual([0, 1])
    expect(expressionOf('ArrivalsSlow')).toMatch(/0\.95.*_bucket.* > 5$/)
  })

  test('a transaction stays open, or dead rows stay: the metrics grow by that', async () => {
    const client = connect(stage.target, { max: 1 })
    await client.begin(async (tx) => {
      await tx`select pg_current_xact_id()`
      const open = async () => (await scrape())('webhook_oldest_xmin_age')
      const first = await open()
      expect(await open()).toBeGreaterThan(first)
    })
    await endClient(client)
    for (const alert of ['TransactionLeftOpen', 'QueueBloated']) expect(await fires(alert), alert).toBe(false)
  })
})

/** In so many days, as partitions are named. */
function dayOf(days: number) {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')
}
