import './config.ts'

import { live } from './process/lifecycle.ts'
import { start } from './start.ts'

await live(start)
