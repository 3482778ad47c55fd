import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json: whatever this code was built into, files beside the code are found from there. */
export const projectFolder = above(dirname(fileURLToPath(import.meta.url)))

function above(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : above(dirname(folder))
}
