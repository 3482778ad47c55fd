import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { EmbeddedPaths } from './place.ts'
import { giveTo } from './unprivileged.ts'

const run = promisify(execFile)

// Sorting that is the same on every machine, and no password: the only way in is a socket in a closed folder
const INITDB =
  '-U postgres -A trust -E UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 --no-instructions'

// The service's role owns its database and is nothing else; `postgres` is for start-up and tests
const FIRST_STATEMENTS = 'create role app login;\ncreate database app owner app;\n'

/** Makes the cluster when there is none; returns whether it did. Throws one line when the data is another release's. */
export async function ensureCluster(place: EmbeddedPaths): Promise<boolean> {
  const versionFile = join(place.data, 'PG_VERSION')
  const isFresh = !existsSync(versionFile)
  if (isFresh) await makeCluster(place)
  const made = readFileSync(versionFile, 'utf8').trim()
  const [shipped] = place.binaries.version.split('.')
  if (made === shipped) return isFresh
  throw new Error(
    `${place.data} was made by PostgreSQL ${made}, this release ships ${shipped}: dump it with the old release, or set DATABASE_URL`,
  )
}

/** Made aside and renamed: a kill in the middle leaves nothing that looks like a cluster. */
async function makeCluster(place: EmbeddedPaths): Promise<void> {
  if (existsSync(place.data)) throw new Error(`${place.data} exists but is no PostgreSQL cluster: move it away`)
  for (const name of readdirSync(place.dir)) {
    if (name.startsWith('initdb-')) rmSync(join(place.dir, name), { recursive: true, force: true })
  }
  const half = join(place.dir, `initdb-${process.pid}`)
  mkdirSync(half, { mode: 0o700 })
  giveTo(place.user, half)
  try {
    await runIn(half, place, 'initdb', ['-D', place.nameOf(half), ...INITDB.split(' ')])
    await runIn(half, place, 'postgres', ['--single', '-D', place.nameOf(half), 'postgres'], FIRST_STATEMENTS)
  } catch (error) {
    throw explained(error, place)
  }
  renameSync(half, place.data)
}

async function runIn(cwd: string, place: EmbeddedPaths, program: string, args: string[], input = ''): Promise<void> {
  const { uid, gid, isOther } = place.user
  const running = run(join(place.binaries.home, 'bin', program), args, {
    cwd,
    env: place.env,
    ...(isOther && { uid, gid }),
  })
  running.child.stdin?.end(input)
  const { stderr } = await running
  if (/^.*(ERROR|FATAL):/m.test(stderr)) throw new Error(stderr) // the single-user mode goes on and ends with 0
}

function explained(error: unknown, { user }: EmbeddedPaths): Error {
  const { stderr = '', code, message } = error as { stderr?: string; code?: unknown; message: string } // of execFile
  if (/could not look up effective user ID/.test(stderr)) {
    return new Error(
      `User id ${user.uid} has no entry in /etc/passwd, which PostgreSQL needs to make a cluster: run as a named user, or set DATABASE_URL`,
    )
  }
  if (code === 'ENOENT') {
    return new Error('The embedded PostgreSQL needs glibc (Debian, Ubuntu, Fedora …), not musl: set DATABASE_URL')
  }
  return new Error(`PostgreSQL could not make a cluster: ${(stderr || message).trim().replaceAll('\n', ' | ')}`)
}
