import type { Config } from '../../config.ts'
import type { Context } from '../../domain/core/context.ts'
import type { EventPublisher, EventSource } from '../../domain/core/relayed.ts'
import { relayEvents } from '../../domain/events/relay.ts'
import type { WakeHub } from '../../domain/events/wake-hub.ts'
import { logger } from '../../telemetry/logger.ts'
import type { Disposables } from '../disposables.ts'

type Nats = { source: EventSource; publisher: EventPublisher }

/** The connection to NATS, where `NATS_URL` is set. It closes with `disposables`; the service starts also while NATS is away. */
export async function openNats(
  { natsUrl }: Pick<Config, 'natsUrl'>,
  disposables: Disposables,
): Promise<Nats | undefined> {
  if (natsUrl === undefined) return undefined
  const [{ NatsLink }, { NatsPublisher }, { NatsSource }] = await Promise.all([
    import('../../nats/connection.ts'),
    import('../../nats/event-publisher.ts'),
    import('../../nats/event-source.ts'),
  ])
  const link = disposables.use(new NatsLink(logger))
  await link.open(natsUrl)
  return { source: new NatsSource(link), publisher: new NatsPublisher(link) }
}

/** Relays events until it is disposed of, whenever one was committed anywhere. */
export function startRelay(
  { db, now, log }: Context,
  { wakeHub, publisher }: { wakeHub: WakeHub; publisher: EventPublisher },
): AsyncDisposable {
  const stop = new AbortController()
  const work = relayEvents({ db, now, log, onWake: wakeHub.onWake }, publisher, stop.signal)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await work
    },
  }
}
