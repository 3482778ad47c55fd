import { instantText, statement } from '../../../db/statement.ts'
import { hostIn, originFor } from '../../audit/records.ts'

type Entry = { position: string; entry: string }

/** Rows behind `after`, in the order of `position`, each as a text of JSON. */
type ReadEntries = ReturnType<typeof statement<[userId: string, after: string, limit: number], Entry>>

/** A list of the export: a page of it is read by a statement, so that its length does not matter. */
export type ExportSection = { name: string; read: ReadEntries }

const listOf = (fields: Record<string, string>) =>
  `json_build_object(${Object.entries(fields)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(', ')})::text`

/** `column`: the one by which the list is ordered. No field is a secret, nor the hash of one. */
function section(name: string, column: string, from: string, fields: Record<string, string>): ExportSection {
  const read: ReadEntries = statement(`
  select ${column} as position, ${listOf(fields)} as entry from ${from} and ${column} > $2 order by ${column} limit $3::int`)
  return { name, read }
}

const dates = (alias: string, ...columns: string[]) =>
  Object.fromEntries(columns.map((column) => [column, instantText(`${alias}.${column}`)]))
const columns = (alias: string, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, `${alias}.${name}`]))

const ofSubscription = {
  ...columns('s', 'id', 'client_id', 'user_id', 'event_types', 'status', 'disabled_reason'),
  ...dates('s', 'created_at', 'updated_at', 'disabled_at'),
}
const ownSubscription = { ...ofSubscription, ...columns('s', 'url', 'description') }
/** Of what an application of somebody else's hears: the rest of its URL may be a secret of its developer's. */
const hearingSubscription = { ...ofSubscription, host: hostIn('s.url') }

/** What a service keeps of a person, but for secrets: the short lists first, messages last. */
export const exportSections: readonly ExportSection[] = [
  section('passkeys', 'p.id', 'passkeys p where p.user_id = $1', {
    ...columns('p', 'id', 'name'),
    ...dates('p', 'created_at', 'last_used_at'),
  }),
  section('sessions', 's.id', 'login_sessions s where s.user_id = $1', {
    ...columns('s', 'id', 'amr', 'user_agent'),
    ip: 'host(s.ip)',
    ...dates('s', 'created_at', 'last_seen_at', 'expires_at', 'authenticated_at'),
  }),
  section(
    'grants',
    'g.id',
    'grants g join clients c on c.id = g.client_id where g.user_id = $1 and g.revoked_at is null',
    {
      ...columns('g', 'id', 'client_id', 'scopes'),
      application: 'c.name',
      ...dates('g', 'created_at', 'expires_at'),
    },
  ),
  section('applications', 'c.id', 'clients c where c.owner_id = $1', {
    ...columns('c', 'id', 'name', 'website_url', 'confidential', 'grant_types', 'scopes', 'auth_method'),
    redirect_uris: 'array(select uri from client_redirect_uris where client_id = c.id order by uri)',
    ...dates('c', 'created_at', 'updated_at', 'disabled_at'),
  }),
  section('api_keys', 'k.id', 'clients c join api_keys k on k.client_id = c.id where c.owner_id = $1', {
    ...columns('k', 'id', 'client_id', 'name', 'last4', 'scopes'),
    ...dates('k', 'created_at', 'expires_at', 'last_used_at', 'revoked_at'),
  }),
  section(
    'memberships',
    'm.client_id',
    'application_members m join clients c on c.id = m.client_id where m.user_id = $1',
    {
      ...columns('m', 'client_id', 'role'),
      application: 'c.name',
      ...dates('m', 'joined_at'),
    },
  ),
  section(
    'webhook_subscriptions',
    's.id',
    'clients c join webhook_subscriptions s on s.client_id = c.id where c.owner_id = $1 and s.deleted_at is null',
    ownSubscription,
  ),
  section(
    'webhook_subscriptions_about_me',
    's.id',
    'webhook_subscriptions s where s.user_id = $1 and s.deleted_at is null',
    hearingSubscription,
  ),
  section('overlay_keys', 'o.id', 'overlay_keys o where o.channel_id = $1', {
    ...columns('o', 'id', 'name', 'event_types', 'last4'),
    ...dates('o', 'created_at', 'last_used_at'),
  }),
  section('livestreams', 'l.id', 'livestreams l where l.channel_id = $1', {
    ...columns('l', 'id', 'title', 'category_slug'),
    ...dates('l', 'started_at', 'ended_at'),
  }),
  section('bans', 'b.id', 'bans b where b.channel_id = $1', {
    ...columns('b', 'id', 'user_id'),
    ...dates('b', 'created_at'),
  }),
  section('security_log', 'a.id', 'audit_log a where a.user_id = $1', {
    ...columns('a', 'id', 'action', 'actor_type', 'client_id', 'target_id', 'details'),
    ip: originFor('host(a.ip)'),
    user_agent: originFor('a.user_agent'),
  }),
  section('messages', 'm.id', 'chat_messages m where m.user_id = $1', {
    ...columns('m', 'id', 'channel_id', 'type', 'content'),
    ...dates('m', 'created_at'),
  }),
]
