import { hash, randomBytes } from 'node:crypto'
import { NewKeys } from './new-keys.ts'
import { MemoryWindows, type Window, type Windows } from './windows.ts'

export type Limit = { name: string; points: number; windowS: number }
export type Count = {
  limit: number
  remaining: number
  /** Whole seconds until the window ends, at least 1. */
  resetS: number
  /** From `take`: this one was one too many, and was not counted. From `peek`: the next one would be. */
  exceeded: boolean
}
export type Taken = Count & {
  /**
   * Undoes this `take`, for what is counted in advance so that parallel attempts cannot get past the limit. To be called once. It does
   * nothing when the window has ended or nothing was counted, and never fails: what cannot be given back stays counted.
   */
  giveBack(): Promise<void>
}
/** Fixed windows that begin with their first point. A key may be any text; only its SHA-256 is stored, and `peek` takes that too. */
export type Counters = {
  /** Counts one, unless that would be one too many. */
  take(limit: Limit, key: string): Promise<Taken>
  /** Counts nothing. */
  peek(limit: Limit, key: string | Buffer): Promise<Count>
}

/** Counts in the memory of this process alone. */
export const memoryCounters = (): Counters => countersOver(({ windowS }) => new MemoryWindows(windowS * 1000))

/** For `RATE_LIMITS=off`: counts and refuses nothing, but still has numbers for the headers. */
export const unlimitedCounters: Counters = {
  take: async (limit) => ({ ...untouched(limit), giveBack: async () => {} }),
  peek: async (limit) => untouched(limit),
}

/**
 * Counters over the windows of each limit. About `NewKeys.MAX` keys of a limit have a slot of their own. While there are more, new
 * keys share 4096 slots, so that memory is bounded and no key that is counted already is dropped.
 */
export function countersOver(windowsOf: (limit: Limit) => Windows): Counters {
  const limits = new Map<string, { windows: Windows; newKeys: NewKeys }>()

  const openedOf = (limit: Limit) => {
    const opened = limits.get(limit.name)
    if (opened) return opened
    const made = { windows: windowsOf(limit), newKeys: new NewKeys(limit.windowS * 1000) }
    limits.set(limit.name, made)
    return made
  }
  const slotOf = async (limit: Limit, key: string | Buffer) => {
    const { windows, newKeys } = openedOf(limit)
    const slot = typeof key === 'string' ? hash('sha256', key, 'base64url') : key.toString('base64url')
    if (!newKeys.areTooMany || (await windows.peek(slot))) return { windows, newKeys, slot }
    return { windows, newKeys, slot: `shared ${slot.slice(0, 2)}` }
  }

  return {
    async take(limit, key) {
      const { windows, newKeys, slot } = await slotOf(limit, key)
      const newId = newWindowId()
      const taken = await windows.take(slot, limit.points, newId)
      if (taken.id === newId) newKeys.add()
      const giveBack = async () => {
        if (taken.isCounted) await windows.giveBack(slot, taken.id)
      }
      return { ...countOf(limit, taken, !taken.isCounted), giveBack }
    },
    async peek(limit, key) {
      const { windows, slot } = await slotOf(limit, key)
      const window = await windows.peek(slot)
      return window ? countOf(limit, window, window.used >= limit.points) : untouched(limit)
    },
  }
}

const PROCESS = randomBytes(9).toString('base64url')
let begun = 0
/** Of any process. */
const newWindowId = () => `${PROCESS}${++begun}`

const countOf = (limit: Limit, { used, leftMs }: Window, exceeded: boolean): Count => ({
  limit: limit.points,
  remaining: Math.max(limit.points - used, 0),
  resetS: Math.max(Math.ceil(leftMs / 1000), 1),
  exceeded,
})

const untouched = ({ points, windowS }: Limit): Count => ({
  limit: points,
  remaining: points,
  resetS: windowS,
  exceeded: false,
})
