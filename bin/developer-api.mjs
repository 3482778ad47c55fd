#!/usr/bin/env node
// The command line. Compiles first when the sources have changed, so it never runs yesterday's code; an image has no sources.
import { existsSync } from 'node:fs'

// libraries read it when they are loaded
process.env.NODE_ENV ??= 'production'

const builder = new URL('../build.mjs', import.meta.url)
if (existsSync(builder)) (await import(builder)).buildIfStale()
await import('../dist/cli.js')
