import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/config.ts'
import { collectMetrics, openMetrics } from '../../src/process/metrics/metrics.ts'
import { LoadLimit } from '../../src/rest/http/load-limit.ts'
import { exposition } from '../../src/telemetry/exposition.ts'
import { createTestContext } from '../support/context.ts'
import { temporaryFolder } from '../support/folder.ts'
import { run, runCommand } from '../support/process.ts'

vi.setConfig({ testTimeout: 120_000 })

type Rule = { alert: string; expr: string; annotations: { runbook: string; summary: string } }
type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] }

const read = (file: string) => readFileSync(file, 'utf8')
const rules: Rule[] = parse(read('ops/prometheus/alerts.yml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)
const dashboard: Dashboard = JSON.parse(read('ops/grafana/dashboards/developer-api.json'))

/** Whatever in a query looks like a metric of ours. */
const namesIn = (query: string) =>
  query.match(/\b(http|database|webhook|nodejs|process|nats|event|clock|mail|ingest|thumbnail)_\w+/g) ?? []

test('every metric that the dashboard and the alerts name is served, and each of ours has a panel', async () => {
  await using own = await createTestContext()
  const metrics = await openMetrics(readConfig({ METRICS_PORT: '9464' }), new LoadLimit())
  if (!metrics) throw new Error('METRICS_PORT opens the metrics')
  const text = await exposition(await collectMetrics({ metrics, contextOf: () => own.context }, true))
  const served = new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
  const queries = [
    ...rules.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ]
  const named = new Set(queries.flatMap(namesIn))
  expect(named.size).toBeGreaterThan(20)
  expect([...named].filter((name) => !served.has(name))).toEqual([])
  const ours = [...text.matchAll(/^# TYPE (\w+) /gm)]
    .map(([, name = '']) => name)
    .filter((name) => !/^(process|nodejs)_/.test(name))
  const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join()
  expect(
    ours.filter((name) => !shown.includes(name)),
    'metrics of ours without a panel',
  ).toEqual([])
})

test('each alert has a section in the runbook, and each section an alert', () => {
  const sections = [...read('docs/runbook.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  expect(sections).toEqual(rules.map(({ alert }) => alert))
  for (const { alert, annotations } of rules) {
    expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`)
    expect(annotations.summary).not.toBe('')
  }
})

test('what is written in YAML or JSON can be read', () => {
  const files = readdirSync('ops', { recursive: true, encoding: 'utf8' }).map((name) => `ops/${name}`)
  const written = [...files, 'compose.yaml'].filter((name) => /\.(ya?ml|json)$/.test(name))
  expect(written.length).toBeGreaterThan(6)
  for (const file of written) {
    if (file.endsWith('.json')) JSON.parse(read(file))
    else
      for (const { errors } of parseAllDocuments(read(file), { merge: true }))
        expect([file, errors]).toEqual([file, []])
  }
})

test('the units are hardened alike, and hold no secret; the job of the clock gets its own secret alone', () => {
  const units = ['developer-api', 'developer-api-worker'].map((name) => read(`ops/systemd/${name}.service`))
  const [service, worker] = units.map((unit) =>
    unit.match(/^(NoNew|Protect|Private|Restrict|Lock|System|Capability|UMask|Limit)\w*=.*$/gm),
  )
  expect(service?.length).toBeGreaterThan(15)
  expect(worker).toEqual(service)
  for (const unit of units) expect(unit).not.toMatch(/^Environment=/m)
  const [job] = parseAllDocuments(read('ops/kubernetes/cronjob.yaml')).map((document) => JSON.stringify(document))
  expect(job?.match(/secretKeyRef|secretRef|envFrom/g)).toEqual(['secretKeyRef'])
  expect(job).toContain('"key":"CRON_SECRET"')
})

test('the image is built with the patches, and leaves out only what is there', () => {
  const dockerfile = read('Dockerfile')
  expect(dockerfile.indexOf('COPY patches/')).toBeGreaterThan(0)
  expect(dockerfile.indexOf('COPY patches/')).toBeLessThan(dockerfile.indexOf('node build.mjs'))
  expect(dockerfile.indexOf('.npmrc')).toBeLessThan(dockerfile.indexOf('npm ci'))
  const excluded = read('.dockerignore').split('\n')
  for (const file of dockerfile.match(/\w+\.mjs/g) ?? []) expect(excluded).toContain(`!${file}`)
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json'))
  const [, listed = ''] = /npm uninstall ([\s\S]*?)\n\n/.exec(dockerfile) ?? []
  const left = listed.split(/[\s\\]+/).filter((word) => word !== '' && !word.startsWith('--'))
  expect(left.filter((name) => !(name in { ...dependencies, ...optionalDependencies }))).toEqual([])
})

test('the image has ffmpeg where it is asked for, and nobody in it is root', () => {
  const stages = read('Dockerfile')
    .split(/^FROM /m)
    .slice(1)
  const stageOf = (name: string) => stages.find((stage) => stage.split('\n')[0]?.endsWith(` AS ${name}`)) ?? ''
  expect(stageOf('with-ffmpeg')).toMatch(/^service AS .*\n[\s\S]* ffmpeg /)
  for (const name of ['service', 'with-ffmpeg'])
    expect(
      stageOf(name)
        .match(/^USER \w+$/gm)
        ?.at(-1),
      name,
    ).toBe('USER node')
  expect(stages.at(-1)?.trim()).toBe('service')
  expect(read('docs/encoders.md')).toContain('--target with-ffmpeg')
})

test('the command line runs from what the image holds, which has no sources', async () => {
  await runCommand(['--version']) // compiles, where nobody has
  using folder = temporaryFolder()
  const copied = [...read('Dockerfile').matchAll(/^COPY (?:--from=build \/app\/)?(\S+) (\S+)$/gm)].slice(-7)
  const missing = new Set(['package.json', 'node_modules/', 'dist/', 'bin/'])
  for (const [, from = ''] of copied)
    if (missing.delete(from)) symlinkSync(resolve(from), join(folder.path, from.replace('/', '')))
  expect([...missing]).toEqual([])
  const words = [
    '--preserve-symlinks',
    '--preserve-symlinks-main',
    join(folder.path, 'bin/developer-api.mjs'),
    '--version',
  ]
  expect(await run(process.execPath, words)).toMatchObject({ status: 0, stdout: '1.0.0\n' })
})
