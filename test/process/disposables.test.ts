import { setTimeout as after } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Disposables } from '../../src/process/disposables.ts'

test('what was opened last is closed first, one step after the other, and each once', async () => {
  const closed: string[] = []
  const disposables = new Disposables()
  disposables.defer(() => closed.push('first'))
  disposables.use({
    [Symbol.asyncDispose]: async () => {
      await after(5)
      closed.push('second')
    },
  })
  await disposables[Symbol.asyncDispose]()
  await disposables[Symbol.asyncDispose]()
  expect(closed).toEqual(['second', 'first'])
})

test('a nested stack closes in its place, with what was put on it later', async () => {
  const closed: string[] = []
  const disposables = new Disposables()
  const nested = disposables.use(new Disposables())
  disposables.defer(() => closed.push('outer'))
  nested.defer(() => closed.push('nested'))
  await disposables[Symbol.asyncDispose]()
  expect(closed).toEqual(['outer', 'nested'])
})

test('what is deferred together closes side by side, and a step that fails keeps no other from closing', async () => {
  const closed: string[] = []
  const disposables = new Disposables()
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  disposables.defer(() => closed.push('first'))
  disposables.deferTogether(
    async () => {
      await released // never, if these ran one after the other
      closed.push('waits for its neighbour')
    },
    () => {
      release()
      throw new Error('fails')
    },
  )
  await disposables[Symbol.asyncDispose]()
  expect(closed).toEqual(['waits for its neighbour', 'first'])
})
