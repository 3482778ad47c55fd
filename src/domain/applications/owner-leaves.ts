import { statement } from '../../db/statement.ts'
import { auditAll } from '../audit/audit.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'
import { disableForStopped } from '../webhooks/queue/lost-grants.ts'
import { HEIR_NAME, handOnApplications } from './people/hand-on.ts'

/** An application whose owner is about to leave, and who gets it then; nobody where it stops. */
export type LeftApplication = { id: string; name: string; heir: string | null }

const SHOWN_MAX = 100

const selectOwned = statement<[ownerId: string, limit: number], LeftApplication>(`
  select c.id, c.name, ${HEIR_NAME} as heir from clients c where c.owner_id = $1 order by c.id limit $2::int`)

/** What becomes of a user's own applications when their account is closed; an account has a hundred at most. */
export const listLeftApplications = ({ db }: Pick<Context, 'db'>, ownerId: string): Promise<LeftApplication[]> =>
  selectOwned(db, ownerId, SHOWN_MAX)

type Stopped = { id: string }
const stopOwned = statement<[ownerId: string, at: Date], Stopped>(`
  update clients set disabled_at = $2::timestamptz, updated_at = $2::timestamptz, stopped_with_owner = true
   where id = any(array(select id from clients where owner_id = $1 and disabled_at is null order by id for no key update))
  returning id`)

/**
 * Lets go of the applications of an account that was just closed, in the same transaction: each goes to its oldest developer, or is
 * stopped, so that it authenticates nothing, until the account is opened again or erased.
 */
export async function leaveApplications(tx: InTransaction<Context>, ownerId: string): Promise<void> {
  await handOnApplications(tx, ownerId)
  const stopped = await stopOwned(tx.db, ownerId, tx.now())
  for (const { id: clientId } of stopped) {
    await disableForStopped(tx, { clientId })
    tx.afterCommit(() => tx.credentials.end(clientId))
  }
  await auditAll(tx, entriesOf(stopped, 'application.disabled', { type: 'user', id: ownerId }))
}

const startOwned = statement<[ownerId: string, at: Date], Stopped>(`
  update clients set disabled_at = null, updated_at = $2::timestamptz, stopped_with_owner = false
   where id = any(array(select id from clients where owner_id = $1 and stopped_with_owner order by id for no key update))
  returning id`)

/** Lets in again what stopped with the account. */
export async function returnApplications(tx: InTransaction<Context>, ownerId: string): Promise<void> {
  const started = await startOwned(tx.db, ownerId, tx.now())
  await auditAll(tx, entriesOf(started, 'application.enabled', { type: 'operator' }))
}

type Actor = { type: 'user'; id: string } | { type: 'operator' }

const entriesOf = (applications: Stopped[], action: 'application.disabled' | 'application.enabled', actor: Actor) =>
  applications.map(({ id }) => ({ actor, action, clientId: id, targetId: id }))
