import { expect } from 'vitest'

/** Expects a size to be what a text says: below its number of kB, and not so far below that the number says nothing. */
export function expectSize(bytes: number, text: string, sentence: RegExp) {
  const saidKb = Number(sentence.exec(text)?.[1])
  expect(bytes / 1_000).toBeLessThan(saidKb)
  expect(bytes / 1_000).toBeGreaterThan(saidKb - Math.max(1, saidKb / 10))
}
