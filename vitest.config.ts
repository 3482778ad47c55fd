import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    include: ['test/**/*.test.ts'],
    isolate: false, // the modules of the service are loaded once per worker: half of the time
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
