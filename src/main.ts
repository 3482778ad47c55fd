import './config.ts'

import { runUntilStopped } from './process/lifecycle.ts'
import { start } from './start.ts'

await runUntilStopped(start)
