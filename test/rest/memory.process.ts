import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('what was answered with waits for no full garbage collection', async () => {
  const script = ['--expose-gc', '--import', 'tsx', 'test/rest/support/kept-bytes.ts', '/health/', '/v1/nowhere']
  const { stdout } = await promisify(execFile)(process.execPath, script)
  const kept = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string; bytes: number })
  expect(kept.map(({ path }) => path)).toEqual(['/health/', '/v1/nowhere'])
  for (const { path, bytes } of kept) expect(bytes, path).toBeLessThan(2_700) // 300 to 1,500 where nothing is kept, 4,000 where a response is
})
