import { browserNamed } from '../../shared/browsers.ts'
import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'

/** Of a change that a mail tells of: whose account it is about, when, and where it came from. */
export type ChangeFacts = { username: string; at: string; ip: string | null; device: string | null }

/** What is known of whoever makes a change: of the browser a name that we know, because whoever makes it may send any sentence instead. */
export const changeFacts = ({ now, caller }: Context & { caller?: Caller }, username: string): ChangeFacts => ({
  username,
  at: now().toISOString(),
  ip: caller?.address ?? null,
  device: browserNamed(caller?.userAgent ?? '') ?? null,
})
