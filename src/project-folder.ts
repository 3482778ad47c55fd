import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json, from which files of the project are found both by the sources and by the built service. */
export const projectFolder = above(dirname(fileURLToPath(import.meta.url)))

function above(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : above(dirname(folder))
}
