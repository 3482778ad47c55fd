import type { Context } from '../../core/context.ts'
import { type File, type Pace, paces } from '../../events/receiver-pace.ts'
import { beginning, type Claim, type Cursor, claimDue, FIRST, type Lane } from '../queue/claim.ts'

type Places = Record<Pace, number>

/** How many subscriptions of each file a claim visits: few claims pass over thousands whose windows are full. */
const SCAN = 512

/** Whose turn it is in each lane: where the next claim continues. */
export class ClaimTurns {
  readonly #ctx: Context
  readonly #cursors: Record<Lane, Cursor> = { 0: beginning, 1: beginning }

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /**
   * One claim visits only some of the subscriptions, so this goes on until it has rows or has visited all that there are of
   * the paces that have places. Of those that rest it visits some, to see whose rest is over.
   */
  async claim(lane: Lane, limit: number, places: Places): Promise<Claim> {
    const withPlaces = paces.filter((pace) => places[pace] > 0)
    let round = new Round(withPlaces, this.#cursors[lane])
    for (let files: File[] = [...withPlaces, 'resting']; ; files = [...round.left]) {
      const claim = await claimDue(this.#ctx, { lane, limit, after: this.#cursors[lane], files, scan: SCAN, places })
      this.#cursors[lane] = claim.next
      round = round.after(claim.next)
      if (claim.rows.length > 0 || round.left.length === 0) return claim
    }
  }
}

/** What is left to visit: each pace to its end, and once more from the beginning when it began in the middle. */
class Round {
  readonly left: readonly Pace[]
  readonly #ends: Partial<Record<Pace, number>>

  constructor(visiting: readonly Pace[], from: Cursor, ends: Partial<Record<Pace, number>> = {}) {
    this.#ends = { ...ends }
    for (const pace of visiting) if (from[pace] === FIRST) this.#ends[pace] = (this.#ends[pace] ?? 0) + 1
    this.left = visiting.filter((pace) => (this.#ends[pace] ?? 0) < 2)
  }

  after(next: Cursor): Round {
    return new Round(this.left, next, this.#ends)
  }
}
