import { chownSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inaccessiblePart } from '../../../src/db/embedded/server-user.ts'
import { children, hold, isAlive, kill, lacks, makeBase, parent, stop, until } from './held.ts'
import { makeProject } from './project.ts'

const NOBODY = { uid: 65534, gid: 65534, isOther: true }
const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'env', 'HOME=/nonexistent']
const COPIES = '/var/lib/embedded-postgres'

const base = makeBase(tmpdir()) // programs are put there and started, which memory may forbid
const hadCopies = existsSync(COPIES)
afterAll(() => {
  base.dispose()
  if (!hadCopies) rmSync(COPIES, { recursive: true, force: true })
})
const closedNode = inaccessiblePart(process.execPath, NOBODY) && 'needs a Node that every user may run'
const missing = lacks({ root: true, tools: ['setpriv'] }) ?? closedNode
const root = test.skipIf(missing)
const note = missing ? ` (${missing})` : ''
const project = missing ? '' : makeProject(base.folder('project'))

const home = base.folder('home')
const closed = base.folder('closed') // as root's home is, and every folder of mkdtemp
if (!missing) {
  mkdirSync(home)
  chownSync(home, NOBODY.uid, NOBODY.gid)
  mkdirSync(closed, { mode: 0o700 })
}

root(`a plain user runs it, from node_modules that are read-only and without links${note}`, async () => {
  const first = await hold({ dataDir: home }, { via: asNobody, script: project })
  expect(statSync(join(home, 'postgres', 'lib')).isDirectory()).toBe(true) // the links, beside the data
  await stop(first)
})

root(`root leaves a plain user's cluster to that user, and says so in one line${note}`, async () => {
  const refused = await hold({ dataDir: home })
  expect(refused.error).toMatch(/home belongs to user id 65534, not to 0: run as that user, or set DATA_DIR$/)
  await stop(await hold({ dataDir: home }, { via: asNobody, script: project }))
})

root(`a folder of somebody else is refused in one line${note}`, async () => {
  const dataDir = base.folder('roots')
  mkdirSync(join(dataDir, 'postgres'), { recursive: true })
  const refused = await hold({ dataDir }, { via: asNobody, script: project })
  expect(refused.error).toMatch(/ belongs to user id 0, not to 65534: run as that user, or set DATA_DIR$/)
})

root(
  `root runs it in a folder that the server's user cannot enter, also after a crash and with an orphan${note}`,
  async () => {
    const first = await hold({ dataDir: closed, write: 1000 })
    await until('rows', () => first.lines.length > 20)
    kill(parent(first.server), first.node, first.server)
    await first.ended
    const second = await hold({ dataDir: closed })
    expect(second.rows).toBeGreaterThanOrEqual(20)
    const watchdog = parent(second.server)
    kill(...children(watchdog).filter((pid) => pid !== second.server), second.node, watchdog)
    await second.ended
    const third = await hold({ dataDir: closed })
    expect(isAlive(second.server)).toBe(false)
    await stop(third)
  },
)

root(`a user without an entry in /etc/passwd is told so${note}`, async () => {
  const dataDir = base.folder('nameless')
  mkdirSync(dataDir)
  chownSync(dataDir, 4711, 4711)
  const via = ['setpriv', '--reuid=4711', '--regid=4711', '--clear-groups']
  const refused = await hold({ dataDir }, { via, script: project })
  expect(refused.error).toMatch(/^User id 4711 has no entry in \/etc\/passwd/)
})

root(`root in a project that the server's user cannot enter: the binaries are copied once${note}`, async () => {
  renameSync(base.folder('project'), join(closed, 'project'))
  const script = join(closed, 'project', 'hold.mjs')
  const first = await hold({ dataDir: closed }, { script })
  expect(first.error).toBeUndefined()
  if (!hadCopies) expect(first.log()).toMatch(/^Copying PostgreSQL \(60 MB\) to /)
  await stop(first)
  const second = await hold({ dataDir: closed }, { script })
  expect(second.log()).toBe('')
  await stop(second)
})
