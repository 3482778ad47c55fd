import postgres, { type Notice, type Sql } from 'postgres'
import { type Database, type DatabaseTarget, databaseOver } from '../../../src/db/client.ts'
import { planSettings } from '../../../src/db/session-settings.ts'

/** A node of a plan as EXPLAIN writes it, as far as the tests look at it. */
export type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Operation?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

export type Explained = { text: string; plan: PlanNode }

/** Databases that tell how each of their statements was executed, whoever wrote it: by auto_explain, not by a copy of its text. */
export type ExplainedDatabases = AsyncDisposable & {
  db: Database
  slow: Database
  explain: <Result>(work: () => Promise<Result>) => Promise<{ result: Result; statements: Explained[] }>
}

/**
 * `target` is a superuser's, whom alone auto_explain serves. Plans are made as the pools of the service make them, but for
 * what `settings` forbid.
 */
export function openExplained(target: DatabaseTarget, settings: Record<string, string> = {}): ExplainedDatabases {
  const told: Explained[] = []
  const onnotice = ({ message = '' }: Partial<Notice>) => {
    const [, json] = /^duration: .*plan:\n(.*)$/s.exec(message) ?? []
    if (!json || message.includes('pg_type')) return // the driver asks for types when it connects
    const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode }
    told.push({ text, plan })
  }
  const clients = [planSettings.generic, planSettings.custom].map((plans) =>
    connectExplained(target, { ...plans, ...settings }, onnotice),
  )
  const [db, slow] = clients.map((client) => databaseOver(client))
  if (!db || !slow) throw new Error('Two clients were opened')
  return {
    db,
    slow,
    explain: async (work) => {
      told.length = 0
      const result = await work()
      return { result, statements: [...told] }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((client) => client.end({ timeout: 5 })))
    },
  }
}

function connectExplained(
  target: DatabaseTarget,
  given: Record<string, string>,
  onnotice: (notice: Notice) => void,
): Sql {
  const settings = {
    max: 1,
    onnotice,
    connection: {
      TimeZone: 'UTC',
      random_page_cost: 1.1,
      session_preload_libraries: 'auto_explain',
      'auto_explain.log_min_duration': '0ms',
      'auto_explain.log_analyze': 'on',
      'auto_explain.log_timing': 'off',
      'auto_explain.log_format': 'json',
      'auto_explain.log_level': 'notice',
      ...given,
    },
  }
  return typeof target === 'string' ? postgres(target, settings) : postgres({ ...target, ...settings })
}

/** A plan and everything in it. */
export function* nodesOf(plan: PlanNode): Generator<PlanNode> {
  yield plan
  for (const child of plan.Plans ?? []) yield* nodesOf(child)
}

/** Rows that a node has read, whether it kept them or not. */
export function touchedBy(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)
  return (node['Actual Rows'] + removed) * node['Actual Loops']
}

/** A plan as an outline, for the message of a failure. */
export function outline(node: PlanNode, depth = 0): string {
  const on = node['Index Name'] ?? node['Relation Name'] ?? ''
  const line = `${'  '.repeat(depth)}${node['Node Type']} ${on} (${touchedBy(node)} rows)`
  return [line, ...(node.Plans ?? []).map((child) => outline(child, depth + 1))].join('\n')
}

const WASTEFUL = /^(Seq Scan|Sort|Incremental Sort|Hash Join|Merge Join|Materialize)$/

/** What a statement does beyond need, in words: a node that is wasteful and not allowed, or that touches too many rows. */
export function wasteIn({ text, plan }: Explained, rowsMost: number, allowed: RegExp): string {
  for (const node of nodesOf(plan)) {
    const type = node['Node Type']
    const isWasteful = WASTEFUL.test(type) && !allowed.test(type) && touchedBy(node) > 0
    const isTooMuch = touchedBy(node) > rowsMost * 1.1 + 1
    if (isWasteful || isTooMuch) return `${type} reads ${touchedBy(node)} rows:\n${outline(plan)}\n${text}`
  }
  return ''
}
