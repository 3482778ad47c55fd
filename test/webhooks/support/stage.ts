import { eq, sql } from 'drizzle-orm'
import { poolSizes } from '../../../src/db/pools.ts'
import * as schema from '../../../src/db/schema/index.ts'
import { sendMessage } from '../../../src/domain/chat.ts'
import type { CallerContext, UserContext } from '../../../src/domain/core/context.ts'
import { newId } from '../../../src/domain/core/ids.ts'
import { scopes as allScopes, type Scope } from '../../../src/domain/core/scopes.ts'
import { transact } from '../../../src/domain/core/transaction.ts'
import { emitEvent } from '../../../src/domain/events/emit.ts'
import type { EventType } from '../../../src/domain/events/types.ts'
import { createSubscription } from '../../../src/domain/webhooks/subscriptions/create.ts'
import { deliveryMetrics } from '../../../src/domain/webhooks/worker/metrics.ts'
import { type WorkOptions, workDeliveries } from '../../../src/domain/webhooks/worker/work.ts'
import type { ProcessContext } from '../../../src/process/context.ts'
import { createTestContext } from '../../support/context.ts'
import { type Answering, type Receiver, startReceiver } from '../../support/receiver.ts'
import { noteExpected, withdraw } from './expected.ts'
import { holds } from './invariants.ts'

const { webhookDeliveries, webhookDeliveriesDone, webhookAttempts, webhookSubscriptions } = schema
type Who = { id: string; username: string }
type Subscribing = { types?: EventType[]; as?: CallerContext; url?: string }

export type Stage = Awaited<ReturnType<typeof createStage>>

/**
 * A channel `ada`, an application, receivers, and the engine without its loop: `work` is one call like that of the cron
 * operation. Disposing of it checks the invariants of the engine over everything that happened on it.
 */
export async function createStage(overrides: Partial<ProcessContext> = {}) {
  const test = await createTestContext(overrides)
  const { context } = test
  await noteExpected(context)
  const unlogged = () => deliveryMetrics.lostLeases + deliveryMetrics.attempts.released
  const unloggedBefore = unlogged()
  let copies = 0
  const ada = await test.user('ada')
  const application = await test.client()
  const developer = await test.user('developer')
  await context.db.update(schema.clients).set({ ownerId: developer.id }).where(eq(schema.clients.id, application.id))
  const receivers: Receiver[] = []
  const secrets = new Map<string, string[]>()
  let scenes = 0

  const asUser = (
    { id: userId, username }: Who,
    scopes: readonly Scope[] = allScopes,
    clientId = application.id,
  ): UserContext => ({
    ...context,
    principal: { kind: 'user', userId, username, clientId, scopes },
  })
  const asApplication = (clientId = application.id): CallerContext => ({
    ...context,
    principal: { kind: 'application', clientId, scopes: allScopes },
  })

  /** The person who owns the application, signed in on our pages. */
  const asOwner = (): UserContext => ({
    ...context,
    principal: { kind: 'user', userId: developer.id, username: developer.username, clientId: null, scopes: [] },
  })

  /** A grant like those of the consent page, given long ago. */
  async function consent({ id: userId }: Pick<Who, 'id'>, clientId = application.id) {
    const createdAt = new Date('2026-01-01T00:00:00.000Z')
    await context.db.insert(schema.grants).values({
      id: newId('grant', createdAt),
      clientId,
      userId,
      scopes: [...allScopes],
      createdAt,
      expiresAt: new Date(Date.now() + 86_400_000),
    })
  }

  async function receiver(answering?: Answering) {
    const made = await startReceiver(answering)
    receivers.push(made)
    return made
  }

  /** A subscription; by default of the application to every channel. One for a user has their consent. */
  async function subscribe(url: string, { types = ['chat.message.sent'], as = asApplication() }: Subscribing = {}) {
    const { principal } = as
    if (principal.kind === 'user') await consent({ id: principal.userId }, principal.clientId ?? undefined)
    const made = await createSubscription(as, { url, event_types: types })
    secrets.set(made.id, [made.signing_secret])
    return made
  }

  /** The row of a subscription. */
  async function subscription(id: string) {
    const [row] = await context.db.select().from(webhookSubscriptions).where(eq(webhookSubscriptions.id, id))
    if (!row) throw new Error(`There is no subscription ${id}`)
    return row
  }

  const stage = {
    ...test,
    ada,
    application,
    secrets,
    asUser,
    asApplication,
    asOwner,
    consent,
    receiver,
    subscribe,
    subscription,

    say: (content: string, who: Who = ada, room: Who = ada) =>
      sendMessage(asUser(who), { room_name: room.username, content }),

    /** Events without a verb that causes them: cheaper than messages where hundreds are needed. */
    emit: (count = 1, channel: Who = ada) =>
      transact(context, async (tx) => {
        const data = { id: 'str_x', title: null, category: null, thumbnail_url: null, channel: null, updated_at: 'now' }
        for (let n = 0; n < count; n++) await emitEvent(tx, 'livestream.started', { channel, data })
      }),

    /**
     * A channel of its own with a receiver and a subscription to it, so that scenes of one stage do not affect each other. `queue`,
     * `done` and `attempts` are those of this subscription alone.
     */
    async scene(answering?: Answering, { types = ['chat.message.sent'] }: Pick<Subscribing, 'types'> = {}) {
      const user = await test.user(`user_${scenes++}`)
      const made = await receiver(answering)
      const as = asUser(user)
      const { id, signing_secret: secret } = await subscribe(made.url, { types, as })
      const { db } = context
      const due = eq(webhookDeliveries.subscriptionId, id)
      return {
        id,
        user,
        as,
        secret,
        receiver: made,
        say: (content = 'hello') => sendMessage(as, { room_name: user.username, content }),
        health: () => subscription(id),
        /** Lets time pass for pending deliveries; by default a minute. */
        pass: (ms = 60_000) =>
          db
            .update(webhookDeliveries)
            .set({ dueAt: sql`due_at - ${ms} * interval '1 millisecond'` })
            .where(due),
        /** Lets time pass for a deadline or a timestamp of the subscription. */
        age: (column: 'openUntil' | 'firstFailureAt', ms: number) =>
          db
            .update(webhookSubscriptions)
            .set({ [column]: sql`${webhookSubscriptions[column]} - ${ms} * interval '1 millisecond'` })
            .where(eq(webhookSubscriptions.id, id)),
        change: (values: Partial<typeof webhookSubscriptions.$inferInsert>) =>
          db.update(webhookSubscriptions).set(values).where(eq(webhookSubscriptions.id, id)),
        queue: () => db.select().from(webhookDeliveries).where(due).orderBy(webhookDeliveries.id),
        done: () =>
          db
            .select()
            .from(webhookDeliveriesDone)
            .where(eq(webhookDeliveriesDone.subscriptionId, id))
            .orderBy(webhookDeliveriesDone.id),
        attempts: () =>
          db
            .select()
            .from(webhookAttempts)
            .where(
              sql`delivery_id in (select id from webhook_deliveries where ${due} union all
                select id from webhook_deliveries_done where subscription_id = ${id})`,
            )
            .orderBy(webhookAttempts.deliveryId, webhookAttempts.n),
      }
    },

    work: (options: WorkOptions = {}) => workDeliveries(context, { budgetMs: 25_000, ...options }),

    /** Lets time pass for pending deliveries; by default a minute. */
    pass: (ms = 60_000) => test.elapse(webhookDeliveries, 'dueAt', ms),

    queue: () => context.db.select().from(webhookDeliveries).orderBy(webhookDeliveries.id),
    done: () => context.db.select().from(webhookDeliveriesDone).orderBy(webhookDeliveriesDone.id),
    attempts: () => context.db.select().from(webhookAttempts).orderBy(webhookAttempts.deliveryId, webhookAttempts.n),
    /** Empties the queue, for a scenario that ends with deliveries which can never succeed. */
    withdraw: () => withdraw(context),
    /** Allows this many requests without an attempt in the log: those of a process or a database that was killed. */
    mayCopy: (count: number) => {
      copies += count
    },
    /** A statement that no verb of the service makes. */
    run: (text: string) => context.db.execute(sql.raw(text)),

    /** Takes all connections of the slow pool, as replays of a large site may, until it is disposed of. */
    async holdSlow(): Promise<AsyncDisposable> {
      let letGo = () => {}
      const held = new Promise<void>((resolve) => {
        letGo = resolve
      })
      const begun = Array.from({ length: poolSizes.slow }, () => {
        let isHeld = () => {}
        const holding = new Promise<void>((resolve) => {
          isHeld = resolve
        })
        const ended = context.slow.transaction(async (tx) => {
          await tx.execute(sql`select 1`)
          isHeld()
          await held
        })
        return { holding, ended }
      })
      await Promise.all(begun.map(({ holding }) => holding))
      return {
        [Symbol.asyncDispose]: async () => {
          letGo()
          await Promise.all(begun.map(({ ended }) => ended))
        },
      }
    },

    async [Symbol.asyncDispose]() {
      try {
        const copiesMax = copies + unlogged() - unloggedBefore
        await holds({ context: stage.context, receivers, secrets, copiesMax })
      } finally {
        for (const one of receivers) await one[Symbol.asyncDispose]()
        await test[Symbol.asyncDispose]()
      }
    },
  }
  return stage
}
