import { Refusal } from '../io.ts'
import { type Connect, Disconnected } from '../resumed-feed.ts'
import type { UsedLogin } from './used-login.ts'

const REFUSED = new Set(['revoked', 'invalid_token'])

/** A feed that outlives its access token: a connection which ends with that is followed by one with the next token. */
export const renewedFeed = (login: UsedLogin, connect: Connect): Connect =>
  async function* (place, signal) {
    try {
      yield* connect(place, signal)
    } catch (error) {
      const isRefused = error instanceof Refusal && REFUSED.has(error.problem.code)
      if (!isRefused || !login.isOver) throw error
      throw new Disconnected(error.problem, { isRenewal: true })
    }
  }
