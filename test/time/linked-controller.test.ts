import { getEventListeners, once } from 'node:events'
import { expect, test } from 'vitest'
import { LinkedController } from '../../src/time/linked-controller.ts'
import { collectGarbage } from '../support/garbage.ts'

test('it ends after its time, though garbage is collected and nobody but a listener knows of it', async () => {
  using _ = collectGarbage()
  const ended = new Promise((resolve) => {
    const { signal } = new LinkedController({ signal: new AbortController().signal, ms: 200 })
    signal.addEventListener('abort', () => resolve(signal.reason))
  })
  await expect(ended).resolves.toMatchObject({ name: 'TimeoutError' })
})

test('it ends with another signal, for the same reason, and at once where that has ended', async () => {
  using _ = collectGarbage()
  const other = new AbortController()
  const { signal } = new LinkedController({ signal: other.signal, ms: 60_000 })
  setTimeout(() => other.abort('stopped'), 100)
  await once(signal, 'abort')
  expect(signal.reason).toBe('stopped')
  expect(new LinkedController(other).signal.reason).toBe('stopped')
})

test('what is disposed of listens to nothing, and does not end any more', async () => {
  const other = new AbortController()
  const linked = new LinkedController({ signal: other.signal, ms: 10 })
  linked[Symbol.dispose]()
  expect(getEventListeners(other.signal, 'abort')).toEqual([])
  await new Promise((resolve) => setTimeout(resolve, 30))
  other.abort()
  expect(linked.signal.aborted).toBe(false)
})

test('a time that no timer can wait for is not over at once', async () => {
  using linked = new LinkedController({ ms: 2 ** 40 })
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(linked.signal.aborted).toBe(false)
})
