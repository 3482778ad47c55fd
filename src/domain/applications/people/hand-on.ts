import { statement } from '../../../db/statement.ts'
import { type AuditEntry, auditAll } from '../../audit/audit.ts'
import type { Context } from '../../core/context.ts'
import type { InTransaction } from '../../core/transaction.ts'
import { mailUser } from '../../mail/mail-user.ts'
import { APPLICATIONS_MAX, hasApplicationRoom } from '../applications.ts'
import { endApplicationCredentials } from '../end-credentials.ts'
import { changeOwner } from './transfer.ts'

const HEIRS = `
  from application_members m join users u on u.id = m.user_id
 where m.client_id = c.id and m.role = 'developer' and u.disabled_at is null
   and (select count(*) from clients owned where owned.owner_id = u.id) < ${APPLICATIONS_MAX}
 order by m.joined_at, u.id limit 1`

/** SQL: the developer who has belonged to the application `c` for longest, whose account is open and has room for one more. */
export const HEIR_NAME = `(select u.username ${HEIRS})`

type Heir = { id: string; username: string }
const findHeir = statement<[id: string], Heir>(
  `select heir.* from clients c cross join lateral (select u.id, u.username ${HEIRS} for no key update of u) heir where c.id = $1`,
)

/** Locked, so that nobody is given more at the same moment than they have room for; asked again when that was so. */
async function lockHeir(tx: InTransaction<Context>, clientId: string): Promise<Heir | undefined> {
  for (;;) {
    const [heir] = await findHeir(tx.db, clientId)
    if (!heir || (await hasApplicationRoom(tx, heir.id))) return heir
  }
}

const lockOwned = statement<[ownerId: string], { id: string; name: string }>(
  'select id, name from clients where owner_id = $1 order by id for no key update',
)
const dropInvitations = statement<[id: string], never>('delete from application_invitations where client_id = $1')
const dropPublicKeys = statement<[id: string], never>(
  `update clients set jwks = '{"keys":[]}', jwks_changed_at = null where id = $1 and jwks is not null`,
)

type Handed = { id: string; name: string }

/**
 * Hands the applications of an account that is closed to whoever has developed each for longest and has room for it; one without
 * such a developer stays. Nobody is asked to any of them any more, and what proves one that is handed on ends, since whoever left
 * knows it. Each heir gets one mail.
 */
export async function handOnApplications(tx: InTransaction<Context>, ownerId: string): Promise<void> {
  const byHeir = new Map<string, Handed[]>()
  for (const application of await lockOwned(tx.db, ownerId)) {
    await endAllInvitations(tx, application.id)
    const heir = await lockHeir(tx, application.id)
    if (!heir) continue
    await handOver(tx, application, heir, { actor: { type: 'system' }, action: 'application.handed_on' })
    byHeir.set(heir.id, [...(byHeir.get(heir.id) ?? []), application])
  }
  for (const [heirId, [first, ...others]] of byHeir) {
    if (!first) continue
    const values = { application: first.name, applicationId: first.id, others: others.map(({ name }) => name) }
    await mailUser(tx, 'application_handed_on', heirId, values)
  }
}

/** Nobody is asked to an application any more. */
export const endAllInvitations = ({ db }: InTransaction, id: string) => dropInvitations(db, id)

/** Gives an application, which is locked, to somebody who has room for it, and ends what proves it: whoever had it knows that. */
export async function handOver(
  tx: InTransaction<Context>,
  { id, name: application }: Handed,
  to: Heir,
  entry: Pick<AuditEntry, 'actor' | 'action'>,
): Promise<void> {
  await dropPublicKeys(tx.db, id)
  await endApplicationCredentials(tx, { clientIds: [id], userId: to.id, actor: entry.actor })
  await changeOwner(tx, { id, userId: to.id })
  const about = { userId: to.id, clientId: id, targetId: id, details: { application, new_owner: to.username } }
  await auditAll(tx, [{ ...entry, ...about }])
}
