import { hash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import type { ThumbnailStorage } from '../../core/context.ts'

const fileOf = (id: string) => `${id}.jpg`

/**
 * Keeps pictures in a folder, which is made: for services on one machine. A picture is there whole, or not at all; what was written
 * of one when the disk was full, or the process ended, is removed with it.
 */
export function folderStorage(folder: string): ThumbnailStorage {
  const at = (id: string) => join(folder, fileOf(id))
  const partOf = (id: string) => `${at(id)}.part`
  return {
    async put(id, jpeg) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(partOf(id), jpeg, { mode: 0o600 })
      await rename(partOf(id), at(id))
    },
    get: (id) => readFile(at(id)).catch((error: unknown) => (isMissing(error) ? undefined : Promise.reject(error))),
    async remove(id) {
      for (const file of [partOf(id), at(id)]) await rm(file, { force: true })
    },
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

const ANSWER_MS = 5_000
const JPEG_BYTES_MAX = 1024 * 1024

/**
 * Keeps pictures in a store that speaks the protocol of S3, by an address of the form
 * `https://KEY:SECRET@host/bucket/prefix?region=eu-1`, with the bucket in the path. Each call ends after 5 s and is made once.
 */
export function s3Storage(address: string): ThumbnailStorage {
  const { origin, pathname, username, password, searchParams } = new URL(address)
  const client = new AwsClient({
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
    service: 's3',
    region: searchParams.get('region') ?? 'us-east-1',
  })
  const call = async (method: string, id: string, body?: Buffer<ArrayBuffer>) => {
    const request = await client.sign(`${origin}${pathname.replace(/\/+$/, '')}/${fileOf(id)}`, {
      method,
      redirect: 'manual',
      ...(body && {
        body,
        headers: { 'Content-Type': 'image/jpeg', 'X-Amz-Content-Sha256': hash('sha256', body, 'hex') },
      }),
    })
    // told here: that of a request is forgotten with it
    const response = await fetch(request, { signal: AbortSignal.timeout(ANSWER_MS) })
    if (response.ok) return Buffer.from(await response.arrayBuffer())
    await response.body?.cancel()
    if (response.status === 404 && method !== 'PUT') return undefined
    throw new Error(`The store of pictures answered ${response.status} to ${method}`)
  }
  return {
    put: async (id, jpeg) => void (await call('PUT', id, Buffer.from(jpeg))),
    get: async (id) => (await call('GET', id))?.subarray(0, JPEG_BYTES_MAX),
    remove: async (id) => void (await call('DELETE', id)),
  }
}
