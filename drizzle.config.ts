import { defineConfig } from 'drizzle-kit'

/** `npm run db:generate` writes what the schema has gained as SQL; the service applies it at start. */
export default defineConfig({
  dialect: 'postgresql',
  schema: './src/db/schema/index.ts',
  out: './src/db/migrations',
  casing: 'snake_case',
})
