// Makes @developer-api/sdk in dist/sdk/ from sdk/typescript: JavaScript and declarations as TypeScript emits them, and the tarball.
// `node pack-sdk.mjs FOLDER` makes it in a new folder instead, so that several may at once. Says where the tarball is.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const source = join(root, 'sdk/typescript')
const [, , given] = process.argv
const folder = given ? resolve(given) : join(root, 'dist/sdk')
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')

if (!given) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: !given })
execFileSync(process.execPath, [tsc, '--project', source, '--outDir', join(folder, 'dist')], { stdio: 'inherit' })
for (const file of ['package.json', 'README.md']) copyFileSync(join(source, file), join(folder, file))
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
  cwd: folder,
  encoding: 'utf8',
})
process.stdout.write(`${relative(process.cwd(), join(folder, packed.trim()))}\n`)
