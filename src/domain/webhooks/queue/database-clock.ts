/**
 * The database's clock, carried on by a monotonic one since it was last read. A host whose own clock is wrong would make
 * every signature stale, because receivers accept 300 s.
 */
export class DatabaseClock {
  readonly #databaseMs: number
  readonly #readAt: number

  constructor(databaseMs: number, readAt = performance.now()) {
    this.#databaseMs = databaseMs
    this.#readAt = readAt
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#databaseMs + this.age()
  }

  /** Milliseconds since the database was asked. */
  age(): number {
    return performance.now() - this.#readAt
  }
}
