/** What would be lost with the page: a form that is typed, or on its way, or a secret that is shown once. */
export type Unsaved = { isAtStake: () => boolean; isOnItsWay?: () => boolean; words: string }

const held = new Set<Unsaved>()

/** Holds the page until the returned function is called. */
export function holdPage(unsaved: Unsaved): () => void {
  held.add(unsaved)
  return () => held.delete(unsaved)
}

/** What the first of them says that is at stake now; undefined when the page can be left. */
export const atStake = (): string | undefined => [...held].find(({ isAtStake }) => isAtStake())?.words
