import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Written into the page for every answer anew; see src/rest/pages/console.ts. */
const NONCE = '__CSP_NONCE__'

export default defineConfig({
  root: 'src/client/console',
  base: '/console/',
  publicDir: 'public',
  plugins: [react(), splashFirst(), compressed()],
  html: { cspNonce: NONCE },
  build: {
    outDir: '../../../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0, // the policy of the page has no data: for fonts and scripts
    reportCompressedSize: false,
  },
})

/** Style sheets hold up the first paint of what follows them: behind the splash they do not hold up that. */
function splashFirst(): Plugin {
  return {
    name: 'splash-first',
    transformIndexHtml: {
      order: 'post',
      handler(page) {
        const sheets = page.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? []
        const without = sheets.reduce((rest, sheet) => rest.replace(sheet, ''), page)
        return without.replace('    <div id="console">', `${sheets.join('')}    <div id="console">`)
      },
    },
  }
}

/** Compresses once what would else be compressed for every visitor; at the very end, when the files are as they stay. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir = '.' }, bundle) {
      for (const name of Object.keys(bundle).filter((file) => /\.(?:js|css)$/.test(file))) {
        const source = readFileSync(join(dir, name))
        const quality = { params: { [zlib.BROTLI_PARAM_QUALITY]: 9 } }
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(source, quality))
        writeFileSync(join(dir, `${name}.gz`), gzipSync(source))
      }
    },
  }
}
