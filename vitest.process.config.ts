import { defineConfig } from 'vitest/config'
import shared from './vitest.config.ts'

/** What starts the service as it is built, and watches, stops and kills it: `npm run test:process`. */
export default defineConfig({ test: { ...shared.test, include: ['test/**/*.process.ts'] } })
