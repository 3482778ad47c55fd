import { databaseTime } from '../../../db/database-time.ts'
import type { Session } from '../../access/sessions.ts'
import type { Context } from '../../core/context.ts'
import { type AuthorizationQuery, type AuthorizationRefusal, refuseAuthorization } from '../authorization-endpoint.ts'

/** What an authorization request wants shown (OpenID Connect Core, section 3.1.2.1). */
export type LoginWish = {
  /** No page at all: `prompt=none`. */
  isSilent: boolean
  /** The login, whoever is logged in: `prompt=login`. */
  isLoginWanted: boolean
  /** The question, whatever was allowed before: `prompt=consent`. */
  isConsentDue: boolean
  /** How old the login may be, in seconds: `max_age`. */
  maxAgeS: number | undefined
}

/** Reads `prompt`, of which unknown values are ignored, and `max_age`. */
export function readLoginWish({ prompt = '', max_age }: AuthorizationQuery): LoginWish | AuthorizationRefusal {
  const prompts = prompt.split(' ')
  const isSilent = prompts.includes('none')
  if (isSilent && prompts.length > 1) return refuseAuthorization('invalid_request', 'prompt: none stands alone')
  if (max_age !== undefined && !/^\d{1,9}$/.test(max_age))
    return refuseAuthorization('invalid_request', 'max_age: must be a whole number of seconds')
  return {
    isSilent,
    isLoginWanted: prompts.includes('login'),
    isConsentDue: prompts.includes('consent'),
    maxAgeS: max_age === undefined ? undefined : Number(max_age),
  }
}

/** Whether a session's user has to log in once more. */
export async function isLoginDue(ctx: Context, { authenticatedAt }: Session, wish: LoginWish): Promise<boolean> {
  if (wish.isLoginWanted) return true
  if (wish.maxAgeS === undefined) return false
  const now = await databaseTime(ctx.db)
  return now.getTime() - authenticatedAt.getTime() > wish.maxAgeS * 1000
}
