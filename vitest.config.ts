import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    include: ['test/**/*.test.ts'],
    maxWorkers: 3, // many tests wait, for time limits or for processes: two would leave cores idle
    isolate: false, // the modules of the service are loaded once per worker: half of the time
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
