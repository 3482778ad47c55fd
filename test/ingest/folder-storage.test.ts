import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderStorage } from '../../src/domain/ingest/thumbnails/storage.ts'
import { temporaryFolder } from '../support/folder.ts'

test('a folder keeps nothing of a picture that was removed, not even what a full disk or an end left half written', async () => {
  using folder = temporaryFolder()
  const storage = folderStorage(folder.path)
  writeFileSync(join(folder.path, 'thm_1.jpg.part'), 'ha')
  expect(await storage.get('thm_1')).toBeUndefined()
  await storage.put('thm_2', Buffer.from('whole'))
  mkdirSync(join(folder.path, 'thm_3.jpg'))
  await expect(storage.put('thm_3', Buffer.from('whole'))).rejects.toThrow()
  expect(String(await storage.get('thm_2'))).toBe('whole')
  rmSync(join(folder.path, 'thm_3.jpg'), { recursive: true })
  for (const id of ['thm_1', 'thm_2', 'thm_3', 'thm_4']) await storage.remove(id)
  expect(readdirSync(folder.path)).toEqual([])
})
