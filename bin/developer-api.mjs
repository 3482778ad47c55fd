#!/usr/bin/env node
// The command line. Compiles first when the sources have changed, so it never runs yesterday's code.
import { buildIfStale } from '../build.mjs'

buildIfStale()
await import('../dist/cli.js')
