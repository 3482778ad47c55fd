import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readHead } from './owned-files.ts'
import type { EmbeddedPaths } from './paths.ts'
import { chownTo, removeAs } from './server-user.ts'

const run = promisify(execFile)

// The same sort order on every machine. No password, because the only access is a socket in a folder of mode 0700
const INITDB =
  '-U postgres -A trust -E UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 --no-instructions'

// The role of the service owns its database and has no other rights; `postgres` is for the start and for tests
const FIRST_STATEMENTS = 'create role app login;\ncreate database app owner app;\n'

/** Creates the cluster unless it exists, and returns whether it did. Throws one line if the data is of another major version. */
export async function ensureCluster(paths: EmbeddedPaths): Promise<boolean> {
  const versionFile = join(paths.data, 'PG_VERSION')
  const isFresh = !existsSync(versionFile)
  if (isFresh) await initCluster(paths)
  const [existing] = /^\d{1,3}(?=\s*$)/.exec(readHead(versionFile) ?? '') ?? []
  const [shipped] = paths.binaries.version.split('.')
  if (existing === undefined) throw noCluster(paths.data)
  if (existing === shipped) return isFresh
  throw new Error(
    `${paths.data} was made by PostgreSQL ${existing}, this release ships ${shipped}: dump it with the old release, or set DATABASE_URL`,
  )
}

/** Creates it under a temporary name and renames, so that a kill in the middle leaves nothing that looks like a cluster. */
async function initCluster(paths: EmbeddedPaths): Promise<void> {
  if (existsSync(paths.data)) throw noCluster(paths.data)
  for (const name of readdirSync(paths.dir)) {
    if (name.startsWith('initdb-')) removeAs(paths.user, join(paths.dir, name))
  }
  const temporary = join(paths.dir, `initdb-${process.pid}`)
  mkdirSync(temporary, { mode: 0o700 })
  chownTo(paths.user, temporary)
  try {
    await runIn(temporary, paths, 'initdb', ['-D', paths.nameOf(temporary), ...INITDB.split(' ')])
    await runIn(temporary, paths, 'postgres', ['--single', '-D', paths.nameOf(temporary), 'postgres'], FIRST_STATEMENTS)
  } catch (error) {
    throw explained(error, paths)
  }
  renameSync(temporary, paths.data)
}

const noCluster = (data: string) => new Error(`${data} exists but is no PostgreSQL cluster: move it away`)

async function runIn(cwd: string, paths: EmbeddedPaths, program: string, args: string[], input = ''): Promise<void> {
  const { uid, gid, isOther } = paths.user
  const running = run(join(paths.binaries.home, 'bin', program), args, {
    cwd,
    env: paths.env,
    ...(isOther && { uid, gid }),
  })
  running.child.stdin?.end(input)
  const { stderr } = await running
  if (/^.*(ERROR|FATAL):/m.test(stderr)) throw new Error(stderr) // single-user mode continues after an error and exits with 0
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
