import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Request, Response } from 'express'

/** A file made by a build, with its compressed forms if there are any. */
export type BuiltFile = { name: string; type: string; plain: Buffer; br: Buffer | undefined; gzip: Buffer | undefined }

const FOREVER = 'public, max-age=31536000, immutable'
const BRIEFLY = 'public, max-age=3600'
/** In order of preference. */
const encodings = ['br', 'gzip'] as const

const types: Record<string, string | undefined> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * All files of a folder, by their path in it: some two megabytes, read once at the first call, so that no request touches the
 * disk and no path leads out of the folder. Empty when there is no such folder.
 */
export function onceBuilt(folder: string): () => ReadonlyMap<string, BuiltFile> {
  let files: ReadonlyMap<string, BuiltFile> | undefined
  return () => {
    files ??= readFiles(folder)
    return files
  }
}

/** Sends a file in the form that the browser takes, to be kept for a year where its name changes with it. */
export function sendBuiltFile(request: Request, response: Response, { name, type, plain, ...packed }: BuiltFile) {
  const encoding = encodings.find((one) => one === request.acceptsEncodings([...encodings]))
  const body = encoding && packed[encoding]
  response.set({
    'Cache-Control': name.startsWith('assets/') ? FOREVER : BRIEFLY,
    'Content-Type': type,
    Vary: 'Accept-Encoding',
    ...(body && { 'Content-Encoding': encoding }),
  })
  response.send(body ?? plain)
}

function readFiles(folder: string): ReadonlyMap<string, BuiltFile> {
  if (!existsSync(folder)) return new Map()
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
  const present = new Set(names)
  const read = (name: string) => (present.has(name) ? readFileSync(join(folder, name)) : undefined)
  const files = names.flatMap((name) => {
    const type = types[extname(name)]
    if (type === undefined) return []
    const plain = readFileSync(join(folder, name))
    return [[name, { name, type, plain, br: read(`${name}.br`), gzip: read(`${name}.gz`) }] as const]
  })
  return new Map(files)
}
