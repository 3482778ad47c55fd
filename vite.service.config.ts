import { defineConfig } from 'vite'

/**
 * The service and its command line in a few files, with the packages that they use: Node reads them in half the time of a
 * file for each module. What is loaded when asked for stays a file of its own.
 */
export default defineConfig({
  ssr: { noExternal: true, external: ['@node-rs/argon2', 'swagger-ui-dist'] }, // a binary; pages that are served as they are
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'dist',
    minify: false, // stacks in the log are to be read
    rollupOptions: {
      input: { main: 'src/main.ts', cli: 'src/cli.ts' },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
})
