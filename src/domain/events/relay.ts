import { randomUUID } from 'node:crypto'
import type { Database } from '../../db/client.ts'
import { statement } from '../../db/statement.ts'
import { EdgeLogger } from '../../telemetry/edge-logger.ts'
import type { Context } from '../core/context.ts'
import { EVERY_CHANNEL, type EventFilter } from '../core/live.ts'
import type { EventPublisher, RelayedEvent } from '../core/relayed.ts'
import { dayBefore } from './id-bounds.ts'
import { AllReader } from './tail/all-reader.ts'
import { Line } from './tail/line.ts'
import type { PositionedEvent } from './tail/positions.ts'
import { lastPosition } from './tail/positions.ts'

/** How long a process that says nothing more keeps the others from relaying. */
const LEASE_S = 3
/** The longest pause of who relays and finds nothing new, and of who waits to. */
const PAUSE_MS = 1_000
/** What is committed meanwhile is relayed together. */
const GATHER_MS = 5

type RelayContext = Pick<Context, 'db' | 'now' | 'onWake' | 'log'>
type Cursor = { position: number; at: Date }

const insertCursor = statement<[position: number], never>(
  'insert into event_relay (id, position) values (1, $1::bigint) on conflict do nothing',
)

/** Takes the lease where it is nobody's. */
const takeLease = statement<[holder: string], { position: number; at: string }>(`
update event_relay set holder = $1, leased_until = statement_timestamp() + interval '${LEASE_S} seconds'
where id = 1 and (holder = $1 or leased_until is null or leased_until < statement_timestamp())
returning position::float8 as position, moved_at as at`)

/** Moves the cursor and keeps the lease; no row when it is somebody else's. */
const moveCursor = statement<[holder: string, position: number], { id: number }>(`
update event_relay set position = $2::bigint, leased_until = statement_timestamp() + interval '${LEASE_S} seconds',
  moved_at = case when position = $2::bigint then moved_at else statement_timestamp() end
where id = 1 and holder = $1 returning id`)

const selectRelayed = statement<[], { position: number }>('select position::float8 as position from event_relay')

/** How many events are not relayed yet: all of them where none ever was. */
export async function relayLag(db: Database): Promise<number> {
  const [relayed] = await selectRelayed(db) // first: what is relayed meanwhile must not be behind
  return Math.max(0, (await lastPosition(db)) - (relayed?.position ?? 0))
}

const giveLeaseBack = statement<[holder: string], never>(
  'update event_relay set holder = null, leased_until = null where id = 1 and holder = $1',
)

/**
 * Relays events to a broker in the order of their positions, from where whoever did so before had come to, until `signal`
 * aborts. Of all processes that call this one does it at a time. Nothing is lost and nothing stored twice, wherever one of
 * them ends: the cursor moves after the broker has stored, and the broker tells what it has.
 */
export async function relayEvents(ctx: RelayContext, publisher: EventPublisher, signal: AbortSignal): Promise<void> {
  const holder = randomUUID()
  const wakes = new Wakes(ctx, signal)
  const edge = new EdgeLogger(ctx.log, { down: 'Events are not relayed', up: 'Events are relayed again' })
  while (!signal.aborted) {
    try {
      const cursor = await beginAt(ctx.db, holder, publisher)
      if (cursor) await lead({ ctx, publisher, holder, wakes, signal, edge }, cursor)
    } catch (error) {
      if (!signal.aborted) edge.down({ err: error })
    }
    await wakes.pause(PAUSE_MS)
  }
  await giveLeaseBack(ctx.db, holder).catch(() => undefined)
}

/** Where this process is to begin; undefined while another one relays. */
async function beginAt(db: Database, holder: string, publisher: EventPublisher): Promise<Cursor | undefined> {
  const [lease] = (await takeLease(db, holder)) ?? []
  if (!lease) {
    await insertCursor(db, await lastPosition(db)) // the first time of all: what happens from now on
    return undefined
  }
  const stored = (await publisher.resume()) ?? 0
  const isOfThisDatabase = stored <= (await lastPosition(db)) // not of one that was restored to an earlier time
  return { position: isOfThisDatabase ? Math.max(stored, lease.position) : lease.position, at: new Date(lease.at) }
}

type Leader = {
  ctx: RelayContext
  publisher: EventPublisher
  holder: string
  wakes: Wakes
  signal: AbortSignal
  edge: EdgeLogger
}

/** Relays until the lease is another's. */
async function lead({ ctx, publisher, holder, wakes, signal, edge }: Leader, cursor: Cursor): Promise<void> {
  const reader = new AllReader(ctx, wakes.wake)
  const line = new Line(EVERY_CHANNEL, cursor.position, () => {})
  let found: PositionedEvent[] = []
  line.follow({
    take: (batch) => (found = batch.select(0, everything) as PositionedEvent[]),
    fail: (error) => ctx.log.error({ err: error }, 'Events are not relayed'),
  })
  let readFrom = cursor.at
  while (!signal.aborted) {
    const begun = ctx.now()
    const before = line.place
    found = []
    const hasMore = await reader.read(line, dayBefore(readFrom))
    await publisher.publish(relayed(found, before))
    const [kept] = await moveCursor(ctx.db, holder, line.place)
    if (!kept) return reader.stop()
    edge.up()
    if (!reader.isHeldUp) readFrom = begun
    if (found.length === 0 && !hasMore) await wakes.pause(PAUSE_MS)
    else await wakes.gather(GATHER_MS)
  }
}

const everything: EventFilter = { key: '', types: [], wants: () => true }

function relayed(events: readonly PositionedEvent[], before: number): RelayedEvent[] {
  let previous = before
  return events.map(({ id, type, payload, channel_id: channelId, sequence, place: position }) => {
    const event = { id, type, payload, channelId, sequence, position, previous }
    previous = position
    return event
  })
}

/** Ends a pause when there may be new events. */
class Wakes {
  #isDue = false
  #end: (() => void) | undefined

  constructor({ onWake }: Pick<Context, 'onWake'>, signal: AbortSignal) {
    const stop = onWake(this.wake)
    signal.addEventListener('abort', () => {
      stop()
      this.wake()
    })
  }

  wake = (): void => {
    this.#isDue = true
    this.#end?.()
  }

  /** Until a wake, one since the last pause included, or `ms`. */
  async pause(ms: number): Promise<void> {
    if (!this.#isDue) {
      await new Promise<void>((resolve) => {
        this.#end = resolve
        setTimeout(resolve, ms).unref()
      })
      this.#end = undefined
    }
    this.#isDue = false
  }

  gather(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms))
  }
}
