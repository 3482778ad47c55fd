import * as z from 'zod'
import { roles } from '../../../shared/roles.ts'
import { Timestamp } from '../../core/timestamp.ts'

/** Somebody who belongs to an application; `joined_at` is null for its owner. */
const Member = z.object({
  user_id: z.string(),
  username: z.string(),
  role: z.enum(roles),
  joined_at: Timestamp.nullable(),
})

/** Somebody who is asked, by an address or, where they belong to it already, by name; as `owner`, to take the application over. */
export const Invitation = z.object({
  id: z.string(),
  role: z.enum(roles),
  email: z.string().nullable(),
  username: z.string().nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
})

/** `invitations`: all that are open, for the owner; for a member the one that offers the application to them, if there is one. */
export const ApplicationPeople = z.object({ members: z.array(Member), invitations: z.array(Invitation) })

/**
 * An invitation as whoever has its link sees it. `fit`: `yes`, or why the account that asks cannot accept it: it has not confirmed
 * the address, or it is another account.
 */
export const ReceivedInvitation = z.object({
  application_name: z.string(),
  role: z.enum(roles),
  email: z.string().nullable(),
  username: z.string().nullable(),
  invited_by: z.string().nullable(),
  expires_at: Timestamp,
  fit: z.enum(['yes', 'unconfirmed', 'other_account']),
})
/** What became of it. */
export const Joined = z.object({ application_id: z.string(), role: z.enum(roles) })

export type Invitation = z.output<typeof Invitation>
export type ApplicationPeople = z.output<typeof ApplicationPeople>
export type ReceivedInvitation = z.output<typeof ReceivedInvitation>
export type Joined = z.output<typeof Joined>
