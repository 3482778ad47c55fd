import { setTimeout as after } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { within } from '../../src/time/within.ts'

test('work in time gives its result, also undefined, or its error', async () => {
  const late = () => 'late'
  expect(await within(1_000, Promise.resolve('done'), late)).toBe('done')
  expect(await within(1_000, Promise.resolve(undefined), late)).toBeUndefined()
  await expect(within(1_000, Promise.reject(new Error('failed')), late)).rejects.toThrow('failed')
})

test('late work gives what stands for it, and its own error later disturbs nobody', async () => {
  const work = after(20).then(() => Promise.reject(new Error('failed, but too late')))
  expect(await within(1, work, () => 'late')).toBe('late')
  await expect(work).rejects.toThrow('too late')
  const refuse = () => {
    throw new Error('no answer')
  }
  await expect(within(1, after(20), refuse)).rejects.toThrow('no answer')
})
