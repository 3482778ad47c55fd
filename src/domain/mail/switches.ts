import * as z from 'zod'
import { statement } from '../../db/statement.ts'
import type { UserContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { type MailSwitch, mailSwitches } from './mail-kind.ts'

const switchFields = <Field>(make: () => Field) =>
  Object.fromEntries(mailSwitches.map((name) => [name, make()])) as Record<MailSwitch, Field>

/** Which of the notices a user gets by mail; those that are no notices cannot be switched off. */
export const NoticeSettings = z.object(switchFields(() => z.boolean()))
export type NoticeSettings = z.output<typeof NoticeSettings>
/** What is left out stays as it is. */
export const NoticeSettingsChange = z.object(switchFields(() => z.boolean().optional()))

type Row = { muted: string[] }
const selectMuted = statement<[userId: string], Row>('select muted_mail as muted from users where id = $1')
const updateMuted = statement<[userId: string, on: string[], off: string[]], Row>(`
  update users set muted_mail = array(
    select unnest(muted_mail) except select unnest($2::text[]) union select unnest($3::text[]) order by 1)
   where id = $1 returning muted_mail as muted`)

/** What the caller has switched on. Throws `user_not_found`. */
export const getNoticeSettings = async ({ db, principal }: UserContext): Promise<NoticeSettings> =>
  settingsOf(await selectMuted(db, principal.userId))

/** Switches notices on or off, and returns how all of them are now. Throws `user_not_found`. */
export async function changeNoticeSettings(
  { db, principal }: UserContext,
  change: z.output<typeof NoticeSettingsChange>,
): Promise<NoticeSettings> {
  const those = (isOn: boolean) => mailSwitches.filter((name) => change[name] === isOn)
  return settingsOf(await updateMuted(db, principal.userId, those(true), those(false)))
}

function settingsOf([user]: Row[]): NoticeSettings {
  if (!user) throw new Problem('user_not_found', 'This account no longer exists.')
  return Object.fromEntries(mailSwitches.map((name) => [name, !user.muted.includes(name)])) as NoticeSettings
}
