import { spawnSync } from 'node:child_process'

/** A Python that has httpx; Debian's is asked as well, which a version manager may hide. */
export const python = ['python3', '/usr/bin/python3'].find(
  (name) => spawnSync(name, ['-c', 'import httpx, sys; assert sys.version_info >= (3, 10)']).status === 0,
)
if (!python)
  process.stderr.write('No Python 3.10 with httpx here: the SDK for Python is not tried (apt install python3-httpx)\n')
