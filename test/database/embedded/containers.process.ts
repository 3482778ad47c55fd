import { afterAll, expect, test } from 'vitest'
import { children, hold, isAlive, kill, lacks, makeBase, stop, until } from './held.ts'

const base = makeBase()
afterAll(base.dispose)
const dataDir = base.folder('volume')
const missing = lacks({ root: true, tools: ['unshare'] })
const root = test.skipIf(missing)
const note = missing ? ` (${missing})` : ''
const inContainer = ['unshare', '-pf', '--mount-proc', '--kill-child']

/**
 * Processes that came before Node, as npm or an entry script brings them, shift its number; then the one in an old
 * postmaster.pid can be that of a thread of Node, which PostgreSQL's own check takes for a living server.
 */
root(`lives of a container: the numbers of processes begin anew, and everything died by SIGKILL${note}`, async () => {
  for (const earlier of [0, 2, 4]) {
    const via = [...inContainer, 'sh', '-c', `${'/bin/true;'.repeat(earlier)} exec "$@"`, 'sh']
    const running = await hold({ dataDir }, { via })
    expect(running.error).toBeUndefined()
    const [init = 0] = children(running.child.pid ?? 0)
    kill(init, running.child.pid)
    await running.ended
    await until('the end of the container', () => !isAlive(init))
  }
})

root(`a second container on the same volume is refused in one line${note}`, async () => {
  const first = await hold({ dataDir })
  const second = await hold({ dataDir, lockWaitS: 1 }, { via: inContainer })
  expect(second.error).toMatch(/ is in use by another process: stop it, or set DATABASE_URL/)
  expect(isAlive(first.server)).toBe(true)
  await stop(first)
})
