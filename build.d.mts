/** Brings dist/ up to date; returns whether it had to. */
export function buildIfStale(): boolean

/** Brings dist/console/ up to date; returns whether it had to. */
export function buildConsoleIfStale(): boolean
