// Makes @developer-api/sdk in dist/sdk/ from sdk/typescript: JavaScript and declarations as TypeScript emits them, and the tarball.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const source = join(root, 'sdk/typescript')
const folder = join(root, 'dist/sdk')
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
execFileSync(process.execPath, [tsc, '--project', source, '--outDir', join(folder, 'dist')], { stdio: 'inherit' })
for (const file of ['package.json', 'README.md']) copyFileSync(join(source, file), join(folder, file))
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
  cwd: folder,
  encoding: 'utf8',
})
process.stdout.write(`dist/sdk/${packed.trim()}\n`)
