import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

execFileSync(process.execPath, ['patch.mjs'], { stdio: 'inherit' }) // before a test imports what is to be patched

export default defineConfig({
  // of this suite alone: the others hash as the service does
  resolve: {
    alias: [{ find: './password-cost.ts', replacement: join(import.meta.dirname, 'test/support/password-cost.ts') }],
  },
  test: {
    globalSetup: 'test/support/global-setup.ts',
    include: ['test/**/*.test.ts'],
    // many tests wait, for the database or a limit of time: as many as there are cores would leave them idle
    maxWorkers: Math.min(12, Math.ceil(2.5 * availableParallelism())),
    isolate: false, // the modules of the service are loaded once per worker: half of the time
    experimental: { fsModuleCache: true }, // what was transformed is kept in node_modules: a third of the time of a single file
    testTimeout: 60_000, // only what hangs meets it: a machine may be five times slower than another
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
