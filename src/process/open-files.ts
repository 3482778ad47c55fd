import { readFileSync } from 'node:fs'
import { REQUESTS_MAX, STREAMS_MAX } from '../rest/http/load-limit.ts'

/** Beside the connections of callers: those to the database and to receivers, files, the log. */
const OTHERS = 500
const NEEDED = STREAMS_MAX + REQUESTS_MAX + OTHERS
const ADVISED = 16_384

/**
 * A sentence that says what to do, if this process may open fewer files than it takes connections: it would stop accepting
 * without a word. `limits` is what the kernel says of a process, where it does.
 */
export function openFilesWarnings(limits = limitsOfProcess()): string[] {
  const max = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  if (max >= NEEDED) return []
  return [
    `This process may open ${max} files, fewer than the ${NEEDED} that its requests and streams may need: allow ${ADVISED} (ulimit -n, LimitNOFILE of systemd, --ulimit nofile of a container)`,
  ]
}

function limitsOfProcess(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return '' // only Linux has it
  }
}
