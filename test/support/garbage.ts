import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects garbage over and over until disposed of: what is held by nobody is gone then, and what it was to do is not done. */
export function collectGarbage(everyMs = 10): Disposable {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const timer = setInterval(collect, everyMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
