import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'

/** Of a change that a mail tells of: whose account it is about, when, and where it came from. */
export type ChangeFacts = { username: string; at: string; ip: string | null; device: string | null }

const DEVICE_LENGTH = 120

/** What is known of whoever makes a change. */
export const changeFacts = ({ now, caller }: Context & { caller?: Caller }, username: string): ChangeFacts => ({
  username,
  at: now().toISOString(),
  ip: caller?.address ?? null,
  device: caller?.userAgent?.slice(0, DEVICE_LENGTH) ?? null,
})
