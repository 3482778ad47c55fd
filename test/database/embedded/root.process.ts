import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { thisProcess } from '../../../src/db/embedded/process-identity.ts'
import { hold, lacks, makeBase, stop } from './held.ts'

const base = makeBase()
afterAll(base.dispose)
const missing = lacks({ root: true, tools: ['setpriv'] })
const root = test.skipIf(missing)
const note = missing ? ` (${missing})` : ''

const dataDir = base.folder('data')
const dir = join(dataDir, 'postgres')
const data = join(dir, 'data')
const SECRET = 'what only root may read\n'
const victim = base.folder('victim')
const precious = base.folder('precious')
const socketFolder = missing ? '' : mkdtempSync(join(tmpdir(), 'developer-api-socket-'))
afterAll(() => socketFolder && rmSync(socketFolder, { recursive: true }))
let server = { uid: 0, gid: 0 }

beforeAll(async () => {
  if (missing) return
  await stop(await hold({ dataDir }))
  server = statSync(data)
  writeFileSync(victim, SECRET, { mode: 0o600 })
  mkdirSync(precious)
  for (const folder of [precious, socketFolder]) writeFileSync(join(folder, 'kept'), SECRET)
})

/** A script of the server's user, as whom somebody may have broken in. */
const attack = (script: string, cwd = dir) =>
  execFileSync('setpriv', [`--reuid=${server.uid}`, `--regid=${server.gid}`, '--clear-groups', 'sh', '-ec', script], {
    cwd,
    env: { PATH: '/usr/bin:/bin', VICTIM: victim, PRECIOUS: precious, OWNER: forgedOwner() },
    stdio: 'pipe',
  })

/** Claims that the folder is in use, and that a folder of somebody else's is its socket's. */
const forgedOwner = () => JSON.stringify({ process: { ...thisProcess(), pid: 1 }, socketDir: socketFolder })

/** As releases before left it: all of it the user's. */
const giveAway = () => chownSync(dir, server.uid, server.gid)

function expectNothingGivenAway() {
  const { uid, mode } = statSync(victim)
  expect([uid, mode & 0o777, readFileSync(victim, 'utf8')]).toEqual([0, 0o600, SECRET])
  expect(readdirSync(precious)).toEqual(['kept'])
  expect([statSync(precious).uid, statSync(join(precious, 'kept')).uid]).toEqual([0, 0])
  expect(existsSync(join(socketFolder, 'kept'))).toBe(true)
}

root(`what root trusts is root's, and the server's user can put nothing there${note}`, () => {
  for (const path of [dir, join(dir, 'postgres.log'), join(dir, 'lock')])
    expect([path, statSync(path).uid]).toEqual([path, 0])
  expect(statSync(dir).mode & 0o777).toBe(0o700)
  expect(server.uid).not.toBe(65534)
  expect(() => attack(`touch ${dir}/x`, '/')).toThrow(/denied/)
})

root(`links and forgeries of the server's user give nothing away, and stop nothing${note}`, async () => {
  giveAway()
  attack(`
    rm -f postgres.log owner.json lock
    for name in postgres.log postgres.log.1 lock; do ln -s "$VICTIM" $name; done
    for name in lib initdb-1; do ln -s "$PRECIOUS" $name; done
    mkdir initdb-2 && ln -s "$PRECIOUS" initdb-2/inside && touch initdb-2/.hidden
    ln -s "$VICTIM" data/postmaster.pid
    echo "$OWNER" > owner.json`)
  const running = await hold({ dataDir })
  expect(running.error).toBeUndefined()
  expect(readdirSync(dir).toSorted()).toEqual(expect.arrayContaining(['data', 'lock', 'owner.json', 'postgres.log']))
  expect(statSync(join(dir, 'owner.json')).uid).toBe(0)
  await stop(running)
  expectNothingGivenAway()
})

root(
  `left-overs of an interrupted start are removed by the server's user, and links in them are not followed${note}`,
  async () => {
    const fresh = base.folder('fresh')
    mkdirSync(join(fresh, 'postgres', 'initdb-1', 'deep'), { recursive: true, mode: 0o700 })
    execFileSync('chown', ['-R', `${server.uid}:${server.gid}`, join(fresh, 'postgres')])
    attack(
      `ln -s "$PRECIOUS" initdb-1/deep/link; touch initdb-1/.hidden; ln -s "$PRECIOUS" initdb-2`,
      join(fresh, 'postgres'),
    )
    await stop(await hold({ dataDir: fresh }))
    expect(readdirSync(join(fresh, 'postgres')).filter((name) => name.startsWith('initdb-'))).toEqual([])
    expectNothingGivenAway()
  },
)

root(`data that are not what they should be are refused in one line, which quotes nothing of them${note}`, async () => {
  const kept = join(dir, 'kept')
  const refusal = async () => {
    const { error } = await hold({ dataDir })
    expect(error).not.toContain(SECRET.trim())
    return error
  }
  giveAway()
  attack('mv data/PG_VERSION data/kept; ln -s "$VICTIM" data/PG_VERSION')
  expect(await refusal()).toMatch(/data exists but is no PostgreSQL cluster: move it away$/)
  attack('mv kept PG_VERSION', data)

  renameSync(data, kept)
  giveAway()
  attack('ln -s "$PRECIOUS" data')
  expect(await refusal()).toMatch(/data is no folder of its own: move it away/)
  rmSync(data)
  renameSync(kept, data)

  chownSync(data, 65534, 65534)
  expect(await refusal()).toMatch(/data belongs to nobody, .*chown -R it to a user of its own/)
  chownSync(data, server.uid, server.gid)
  expectNothingGivenAway()
})

root(`a folder that others could exchange is refused in one line${note}`, async () => {
  const other = base.folder('other')
  mkdirSync(other)
  symlinkSync(dir, join(other, 'postgres'))
  expect((await hold({ dataDir: other })).error).toMatch(/postgres is a link or a file: move it away/)
  rmSync(join(other, 'postgres'))
  chmodSync(other, 0o777)
  expect((await hold({ dataDir: other })).error).toMatch(/other may be written to by others: chmod go-w /)
  chmodSync(other, 0o755)
  chownSync(other, server.uid, server.gid)
  expect((await hold({ dataDir: other })).error).toMatch(/other belongs to user id \d+, not to 0: run as that user/)
  expect(readdirSync(other)).toEqual([])
})

const noMounts = missing ?? (canMount() ? undefined : 'needs a mount namespace')
const mounting = test.skipIf(noMounts)

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt && command -v useradd'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

mounting(
  `where there is no user for PostgreSQL, root makes one of its own${noMounts ? ` (${noMounts})` : ''}`,
  async () => {
    const script = `
    mount -t tmpfs none /mnt && cp -a /etc/. /mnt && mount --bind /mnt /etc
    sed -i -E 's/^(postgres|node|developer-api):/other-\\1:/' /etc/passwd
    exec "$@"`
    const running = await hold({ dataDir: base.folder('alone') }, { via: ['unshare', '-m', 'sh', '-ec', script, 'sh'] })
    expect([running.error, running.log()]).toEqual([
      undefined,
      expect.stringContaining('Made the system user developer-api'),
    ])
    const { uid } = statSync(join(base.folder('alone'), 'postgres', 'data'))
    expect([0, 65534, server.uid]).not.toContain(uid)
    await stop(running)
  },
)
