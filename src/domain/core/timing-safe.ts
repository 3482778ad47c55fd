import { timingSafeEqual } from 'node:crypto'

/** Compares in a time that does not tell how much of it agreed. */
export function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
