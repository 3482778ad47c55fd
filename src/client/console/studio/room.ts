import type { Outputs } from '../app/session.tsx'

export type Message = Outputs['chat']['list']['items'][number]

/** Messages sent from this page that are not confirmed yet, or were refused. */
export type Draft = { key: string; content: string; error: unknown }

/** Changes since the list was read. Those that are leaving are deleted in a moment, unless that is undone. */
export type Changes = {
  sent: readonly Message[]
  leaving: ReadonlySet<string>
  deleted: ReadonlySet<string>
  drafts: readonly Draft[]
}

export const unchanged: Changes = { sent: [], leaving: new Set(), deleted: new Set(), drafts: [] }

export type Change =
  | { kind: 'sent'; message: Message; draft?: string }
  | { kind: 'leaving'; id: string }
  | { kind: 'deleted'; id: string }
  | { kind: 'restored'; id: string }
  | { kind: 'drafted'; draft: Draft }
  | { kind: 'failed'; draft: string; error: unknown }
  | { kind: 'discarded'; draft: string }

const less = (ids: ReadonlySet<string>, id: string) => new Set([...ids].filter((one) => one !== id))
const without = (drafts: readonly Draft[], key: string | undefined) => drafts.filter((draft) => draft.key !== key)

const apply: { [Kind in Change['kind']]: (now: Changes, change: Extract<Change, { kind: Kind }>) => Changes } = {
  sent: (now, { message, draft }) => ({ ...now, sent: [...now.sent, message], drafts: without(now.drafts, draft) }),
  leaving: (now, { id }) => ({ ...now, leaving: new Set([...now.leaving, id]) }),
  deleted: (now, { id }) => ({ ...now, leaving: less(now.leaving, id), deleted: new Set([...now.deleted, id]) }),
  restored: (now, { id }) => ({ ...now, leaving: less(now.leaving, id), deleted: less(now.deleted, id) }),
  drafted: (now, { draft }) => ({ ...now, drafts: [...without(now.drafts, draft.key), draft] }),
  failed: (now, { draft, error }) => ({
    ...now,
    drafts: now.drafts.map((one) => (one.key === draft ? { ...one, error } : one)),
  }),
  discarded: (now, { draft }) => ({ ...now, drafts: without(now.drafts, draft) }),
}

export function changed(now: Changes, change: Change): Changes {
  const step = apply[change.kind] as (now: Changes, change: Change) => Changes
  return step(now, change)
}

/**
 * The messages of the list and those that came since, each once, without deleted ones. Identifiers sort by their time of
 * creation, so the order of arrival does not matter.
 */
export function messagesOf(listed: readonly Message[], { sent, deleted }: Changes): Message[] {
  const known = new Map([...listed, ...sent].map((message) => [message.id, message]))
  return [...known.values()].filter(({ id }) => !deleted.has(id)).sort((one, other) => (one.id < other.id ? -1 : 1))
}
