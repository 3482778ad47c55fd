import { defineConfig } from 'vitest/config'
import shared from './vitest.config.ts'

/** What starts processes and servers, breaks or overloads them, or waits for limits of time: `npm run test:process`. */
export default defineConfig({ test: { ...shared.test, include: ['test/**/*.process.ts'] } })
