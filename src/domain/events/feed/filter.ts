import type { EventFilter } from '../../core/live.ts'

/** Wants events of some types, whose identifiers are behind `from` where that is given. */
export function filterOf(types: readonly string[], from = ''): EventFilter {
  const wanted = new Set(types)
  const sorted = [...wanted].sort()
  return {
    key: `${from} ${sorted.join()}`,
    types: sorted,
    wants: ({ id, type }) => wanted.has(type) && id >= from,
  }
}
