import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { deliveryMetrics } from './metrics.ts'

/** How far back the service tells how prompt it was. */
const WINDOW = `interval '5 minutes'`
const SLOT = `interval '10 seconds'`
const WRITE_EVERY_MS = 5_000
/** Stands for whatever took longer than the longest bound. */
const LONGEST_MS = 24 * 3_600_000

const boundsMs = [...deliveryMetrics.publishToArrivalS.boundsS.map((seconds) => seconds * 1_000), LONGEST_MS]

// Module state, because the process is what delivers: its worker, calls of the cron operation and of the command line together
const unwritten = new Map<number, number>()
let timer: NodeJS.Timeout | undefined

/** Notes how long a first attempt waited for us alone. */
export function noteWait(ms: number): void {
  deliveryMetrics.publishToArrivalS.observe(ms / 1_000)
  const bound = boundsMs.find((one) => ms <= one) ?? LONGEST_MS
  unwritten.set(bound, (unwritten.get(bound) ?? 0) + 1)
}

const addWaits = statement<[bounds: string[], counts: string[]], never>(`
insert into webhook_waits as w (slot, bound_ms, n)
select date_bin(${SLOT}, statement_timestamp(), 'epoch'), t.bound_ms, t.n from unnest($1::text[]::int[], $2::text[]::int[]) t (bound_ms, n)
order by t.bound_ms on conflict (slot, bound_ms) do update set n = w.n + excluded.n`)

/** Writes what was noted, for all processes to read. What cannot be written is dropped: it is a figure, and there will be others. */
export async function writeWaits({ slow, log }: Context): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  if (unwritten.size === 0) return
  const [bounds, counts] = [[...unwritten.keys()].map(String), [...unwritten.values()].map(String)]
  unwritten.clear()
  await addWaits(slow, bounds, counts).catch((error: unknown) =>
    log.debug({ err: error }, 'Waits of deliveries were not written'),
  )
}

/** The same within five seconds, so that the busiest process writes a dozen times a minute. */
export function writeWaitsSoon(ctx: Context): void {
  if (unwritten.size > 0) timer ??= setTimeout(() => void writeWaits(ctx), WRITE_EVERY_MS).unref()
}

const selectWaits = statement<[], { bound_ms: number; seen: number }>(`
select bound_ms, (sum(sum(n)) over (order by bound_ms))::float8 as seen from webhook_waits where slot > statement_timestamp() - ${WINDOW} group by bound_ms order by bound_ms`)

/**
 * Within how many seconds these shares of the first attempts of the last five minutes began, in all processes: upper bounds; null
 * where there was none.
 */
export async function recentWaits(
  { slow }: Pick<Context, 'slow'>,
  shares: readonly number[],
): Promise<(number | null)[]> {
  const rows = await selectWaits(slow)
  const all = rows.at(-1)?.seen ?? 0
  return shares.map((share) => {
    const reached = rows.find(({ seen }) => seen >= all * share)
    return reached ? reached.bound_ms / 1_000 : null
  })
}
