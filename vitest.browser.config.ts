import { defineConfig } from 'vitest/config'

/** The console in a real browser, on the product as it is started: `npm run test:browser`. */
export default defineConfig({
  test: {
    globalSetup: 'test/console/support/product.ts',
    include: ['test/console/**/*.browser.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
