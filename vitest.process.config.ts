import { defineConfig } from 'vitest/config'
import shared from './vitest.config.ts'

/** What starts processes and servers, breaks or overloads them, waits for limits of time, or tries orders at random: `npm run test:process`. */
export default defineConfig({
  test: { ...shared.test, include: ['test/**/*.process.ts'], maxWorkers: 3 }, // each has processes of its own
})
