import './config.ts'

import { live } from './lifecycle.ts'
import { start } from './start.ts'

await live(start)
