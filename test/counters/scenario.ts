import { setTimeout as after } from 'node:timers/promises'
import type { Counters, Limit } from '../../src/counters/counters.ts'

const three: Limit = { name: 'three', points: 3, windowS: 4 }

/** What counters of any kind do about a limit of four seconds. */
export async function whatCounts(counters: Counters, untilEnded: () => Promise<unknown> = () => after(4_010)) {
  const left = async () => (await counters.peek(three, 'a')).remaining
  const atOnce = await Promise.all(Array.from({ length: 12 }, () => counters.take(three, 'a')))
  const [first, second] = atOnce.filter(({ exceeded }) => !exceeded)
  const refused = atOnce.filter(({ exceeded }) => exceeded)
  for (const one of refused) await one.giveBack()
  const afterRefusals = await left()
  await first?.giveBack()
  const afterOne = await left()
  const again = [await counters.take(three, 'a'), await counters.take(three, 'a')].map(({ exceeded }) => exceeded)

  await untilEnded()
  await second?.giveBack()
  const nothingBegun = await left()
  const { remaining, resetS } = await counters.take(three, 'a')
  await second?.giveBack()
  return {
    refused: refused.map((one) => [one.limit, one.remaining]),
    afterRefusals,
    afterOne,
    again,
    nothingBegun,
    next: [remaining, resetS],
    afterGivingToTheNext: await left(),
  }
}

/** A take that is refused counts nothing, and what is given back is given to the window in which it was taken. */
export const asPromised = {
  refused: Array(9).fill([3, 0]),
  afterRefusals: 0,
  afterOne: 1,
  again: [false, true],
  nothingBegun: 3,
  next: [2, 4],
  afterGivingToTheNext: 2,
}
