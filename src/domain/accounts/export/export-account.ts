import { instantText, statement } from '../../../db/statement.ts'
import type { UserContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { countOrRefuse, rateLimits } from '../../core/rate-limits.ts'
import { type ExportSection, exportSections } from './sections.ts'

const PAGE_ROWS = 500

/** Throws `rate_limited`: an export reads all that there is of a person. */
export const countExport = (ctx: UserContext): Promise<void> =>
  countOrRefuse(
    ctx,
    rateLimits.dataExport,
    ctx.principal.userId,
    'Too many exports of this account. Try again tomorrow.',
  )

const selectAccount = statement<[userId: string], { entry: string }>(`
  select json_build_object('id', id, 'username', username, 'email', email, 'email_verified_at', ${instantText('email_verified_at')},
    'switched_off_mails', muted_mail, 'bio', bio, 'image_url', image_url, 'created_at', ${instantText('created_at')},
    'updated_at', ${instantText('updated_at')}, 'has_password', password_hash is not null,
    'authenticator_since', (select ${instantText('created_at')} from totp_factors where user_id = users.id),
    'recovery_codes_left', (select count(*) from recovery_codes where user_id = users.id and used_at is null),
    'stream_key_last4', (select last4 from stream_keys where channel_id = users.id))::text as entry
    from users where id = $1`)

/**
 * What is kept of the caller, but for secrets, as pieces of one text of JSON: an object with the account and a list of each kind.
 * Reads five hundred rows at a time and waits for whoever takes the pieces, so it needs no more memory however much there is. Throws
 * `user_not_found`.
 */
export async function* exportAccount({ slow, now, principal }: UserContext): AsyncGenerator<string> {
  const { userId } = principal
  const [account] = await selectAccount(slow, userId)
  if (!account) throw new Problem('user_not_found', 'This account no longer exists.')
  yield `{"exported_at":${JSON.stringify(now().toISOString())},\n"account":${account.entry}`
  for (const section of exportSections) {
    yield `,\n${JSON.stringify(section.name)}:[`
    yield* entriesOf(slow, section, userId)
    yield ']'
  }
  yield '}\n'
}

async function* entriesOf(db: UserContext['slow'], { read }: ExportSection, userId: string): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const page = await read(db, userId, after, PAGE_ROWS)
    const last = page.at(-1)
    if (!last) return
    yield (after === '' ? '\n' : ',\n') + page.map(({ entry }) => entry).join(',\n')
    if (page.length < PAGE_ROWS) return
    after = last.position
  }
}
