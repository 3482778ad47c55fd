import { defineConfig } from 'vite'

/** The page /overlay/chat. Its target is the browser inside of streaming programs, which is older than that of people. */
export default defineConfig({
  root: 'src/client/overlay',
  base: '/overlay/chat/',
  publicDir: false,
  build: {
    outDir: '../../../dist/overlay',
    emptyOutDir: true,
    target: 'chrome95',
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
