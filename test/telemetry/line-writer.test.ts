import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { LineWriter } from '../../src/telemetry/line-writer.ts'
import { temporaryFolder } from '../support/folder.ts'

const MEBIBYTE = 2 ** 20

/** A pipe that keeps no writer waiting, as Node makes its own. */
function openPipe() {
  const folder = temporaryFolder()
  const path = join(folder.path, 'pipe')
  execFileSync('mkfifo', [path])
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const chunk = Buffer.alloc(MEBIBYTE)
  /** What there is to be read. */
  const read = () => {
    try {
      return chunk.toString('utf8', 0, readSync(fd, chunk))
    } catch {
      return ''
    }
  }
  const dispose = () => {
    closeSync(fd)
    folder[Symbol.dispose]()
  }
  return { fd, read, [Symbol.dispose]: dispose }
}

const line = (n: number) => `${String(n).padStart(1_023, '.')}\n`

test('lines are written in their order, soon, and at the end of a process at once', async () => {
  using pipe = openPipe()
  const lines = new LineWriter(pipe.fd, () => {})
  lines.write('one\n')
  expect(pipe.read()).toBe('')
  await expect.poll(pipe.read).toBe('one\n')
  for (const text of ['two\n', 'three\n']) lines.write(text)
  lines.flushSync()
  expect(pipe.read()).toBe('two\nthree\n')
})

test('a reader that pauses gets every line, and one that has taken nothing for long is told how many it has not got', async () => {
  using pipe = openPipe()
  const lost: number[] = []
  const lines = new LineWriter(pipe.fd, (count) => void lost.push(count))
  for (let n = 0; n < 2_000; n++) lines.write(line(n))
  await new Promise((resolve) => setTimeout(resolve, 300))
  let got = ''
  const all = async () => {
    got += pipe.read()
    return got.length
  }
  await expect.poll(all, { timeout: 10_000, interval: 1 }).toBe(2_000 * 1_024)
  expect(got).toBe(Array.from({ length: 2_000 }, (_, n) => line(n)).join(''))
  expect(lost).toEqual([])

  got = ''
  for (let n = 0; n < 10_000; n++) lines.write(line(n))
  await expect.poll(async () => (await all()) > 0 && lost.length, { timeout: 10_000, interval: 1 }).toBe(1)
  await expect.poll(all, { timeout: 10_000, interval: 1 }).toBe((10_000 - (lost[0] ?? 0)) * 1_024)
  expect(lost[0]).toBeGreaterThan(5_000)
  expect(lost[0]).toBeLessThan(6_000)
})

test('a process ends though nobody reads what it writes, and with what it could not write for a moment', async () => {
  using pipe = openPipe()
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const lines = new LineWriter(pipe.fd, () => {})
  for (let n = 0; n < 100; n++) lines.write(line(n))
  while (vi.getTimerCount() < 2) await new Promise((resolve) => setImmediate(resolve)) // the reader is left alone
  const before = pipe.read()
  lines.flushSync()
  expect(before + pipe.read()).toBe(Array.from({ length: 100 }, (_, n) => line(n)).join(''))
  for (let n = 0; n < 1_000; n++) lines.write(line(n))
  const begunMs = performance.now()
  lines.flushSync()
  expect(performance.now() - begunMs).toBeLessThan(2_000)
  vi.useRealTimers()
})

test('a full disk and a reader that has gone do no harm', async () => {
  const full = openSync('/dev/full', 'w')
  using pipe = openPipe()
  for (const fd of [full, 2 ** 20]) {
    const lines = new LineWriter(fd, () => {})
    for (let n = 0; n < 10; n++) lines.write(line(n))
    await new Promise((resolve) => setTimeout(resolve, 50))
    lines.write(line(10))
    lines.flushSync()
  }
  closeSync(full)
  expect(pipe.read()).toBe('')
})
