import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Identifies a process even among those with the same pid on other boots, in other containers, or on other machines. */
export type ProcessIdentity = {
  pid: number
  /** When it started, in clock ticks since boot; empty where there is no /proc. */
  start: string
  /** The boot and the pid namespace in which the pid is valid. */
  boot: string
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, start: startOf(process.pid) ?? '', boot: bootOf() }
}

/** Whether this process still runs, on this boot and in this pid namespace. */
export function isAlive({ pid, start, boot }: ProcessIdentity): boolean {
  return boot === bootOf() && startOf(pid) === start
}

/** When process `pid` started; undefined if there is none, or if the pid is that of a thread or a zombie. */
export function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return existsByKill(pid) ? '' : undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const leader = /^Tgid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return 'ZX'.includes(state) || Number(leader) !== pid ? undefined : rest[18]
  } catch {
    return undefined // it has exited
  }
}

function existsByKill(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' // it exists and belongs to another user
  }
}

function bootOf(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() + readlinkSync('/proc/self/ns/pid')
  } catch {
    return hostname()
  }
}
