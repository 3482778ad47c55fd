import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const ROOM_BYTES = 4 * 2 ** 30

/** Where databases of tests lie: in memory where there is room, for nothing of them has to outlive the machine's power. */
export const parentOfData = hasRoom() ? MEMORY : tmpdir()

const NAME = /^developer-api-test-(\d+)-/

/** A folder for data; gone when disposed of. */
export function temporaryFolder() {
  const path = mkdtempSync(join(parentOfData, `developer-api-test-${process.pid}-`))
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  return { path, [Symbol.dispose]: remove }
}

/** Removes what runs left behind that were killed: it would fill the memory. */
export function removeOldFolders(): void {
  for (const name of readdirSync(parentOfData)) {
    const [, pid] = NAME.exec(name) ?? []
    if (pid && !isAlive(Number(pid))) rmSync(join(parentOfData, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // somebody else's
  }
}

/** Copies a folder with its owners, which the server wants to see. */
export const copyFolder = (from: string, to: string) => void execFileSync('cp', ['-a', from, to])

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory()) > ROOM_BYTES
  } catch {
    return false // only Linux has it
  }
}
