import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const PAUSE_MS = 10
/** Of the time, at most one part in so many is spent on it: the heap of a whole run of tests takes long. */
const PARTS = 6

/** Collects garbage again and again until disposed of: what is held by nobody is gone then, and what it was to do is not done. */
export function collectGarbage(): Disposable {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let timer: NodeJS.Timeout
  const collectIn = (ms: number) => {
    timer = setTimeout(() => {
      const begunMs = performance.now()
      collect()
      collectIn(Math.max(PAUSE_MS, (PARTS - 1) * (performance.now() - begunMs)))
    }, ms)
  }
  collectIn(PAUSE_MS)
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
