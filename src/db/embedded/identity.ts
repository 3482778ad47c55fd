import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process, told apart from those of other boots, containers and machines that have the same number. */
export type Identity = {
  pid: number
  /** When it started, in the kernel's clock ticks since boot; empty where there is no /proc. */
  start: string
  /** The boot and the namespace in which the number counts. */
  boot: string
}

export function thisProcess(): Identity {
  return { pid: process.pid, start: startOf(process.pid) ?? '', boot: bootOf() }
}

/** Whether the process that this identity was taken from still runs, and where its number means anything. */
export function isAlive({ pid, start, boot }: Identity): boolean {
  return boot === bootOf() && startOf(pid) === start
}

/** When process `pid` started; undefined when there is no such process, or only a thread or a zombie of that number. */
export function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return existsByKill(pid) ? '' : undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const leader = /^Tgid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return 'ZX'.includes(state) || Number(leader) !== pid ? undefined : rest[18]
  } catch {
    return undefined // it ended meanwhile
  }
}

function existsByKill(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' // somebody else's, but it exists
  }
}

function bootOf(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() + readlinkSync('/proc/self/ns/pid')
  } catch {
    return hostname()
  }
}
