import { jsonb, pgTable } from 'drizzle-orm/pg-core'
import { instant, key } from './columns.ts'

// Both are unlogged by their migration: they are written often, and what a crash takes from them the processes write again.

/** Processes that have streams open. One that says nothing for some seconds has ended. */
export const streamProcesses = pgTable('stream_processes', {
  id: key().primaryKey(),
  seenAt: instant().notNull(),
})

/** How many streams each user and each owner of applications has open: for each process, by its identifier, the number and when it was said. */
export const streamHolders = pgTable('stream_holders', {
  holder: key().primaryKey(),
  counts: jsonb().notNull(),
})
