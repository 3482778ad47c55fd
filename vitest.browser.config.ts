import { defineConfig } from 'vitest/config'
import './vitest.config.ts' // patches packages

/** What people see, in a real browser: `npm run test:browser`. */
export default defineConfig({
  test: {
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ['test/support/global-setup.ts', 'test/console/support/product.ts'],
    include: ['test/**/*.browser.ts'],
    fileParallelism: false,
    testTimeout: 120_000, // a newcomer’s whole way, on machines that may be busy
    hookTimeout: 60_000,
  },
})
