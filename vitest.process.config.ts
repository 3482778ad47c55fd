import { defineConfig } from 'vitest/config'
import shared from './vitest.config.ts'

/** What starts, kills and watches whole processes: `npm run test:process`. */
export default defineConfig({ test: { ...shared.test, include: ['test/**/*.process.ts'] } })
