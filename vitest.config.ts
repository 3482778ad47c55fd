import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    include: ['test/**/*.test.ts'],
    maxWorkers: 3, // many tests wait, for time limits or for processes: two would leave cores idle
    isolate: false, // the modules of the service are loaded once per worker: half of the time
    testTimeout: 60_000, // only what hangs meets it: a machine may be five times slower than another
    hookTimeout: 60_000,
  },
})
