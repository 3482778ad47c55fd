import { defineConfig } from 'vitest/config'
import './vitest.config.ts' // patches packages

/** Two API processes, a worker, a replica, PgBouncer and Redis on one machine: `npm run test:scale`. */
export default defineConfig({ test: { include: ['test/scale/**/*.scale.ts'], testTimeout: 20_000 } })
