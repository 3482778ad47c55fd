import { defineConfig } from 'vitest/config'
import shared from './vitest.config.ts'

/** What tools of others make of the document: `npm run test:tools`, which installs them first. */
export default defineConfig({
  test: {
    ...shared.test,
    include: ['test/tools/*.tools.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
