import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { defineConfig } from 'vite'

/**
 * tRPC as its authors wrote it (npm has their sources as well): what they compile is for browsers of 2017, and copies the
 * options of a call property by property, which took most of the time of a call.
 */
const trpcSources = join(dirname(createRequire(import.meta.url).resolve('@trpc/server/package.json')), 'src')

/**
 * The service and its command line in a few files, with the packages that they use: Node reads them in half the time of a
 * file for each module. What is loaded when asked for stays a file of its own.
 */
export default defineConfig({
  resolve: { alias: [{ find: /^@trpc\/server(?=\/|$)/, replacement: trpcSources }] },
  ssr: { noExternal: true, external: ['@node-rs/argon2', 'swagger-ui-dist'] }, // a binary; pages that are served as they are
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'dist',
    minify: false, // stacks in the log are to be read
    rollupOptions: {
      treeshake: false, // with it, and with the minifier's first step, calls that are made for their exception are gone
      input: { main: 'src/main.ts', cli: 'src/cli.ts' },
      output: { minify: false, entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
})
