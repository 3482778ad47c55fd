/**
 * The database's clock, continued by the monotonic clock of this process since it was read. With the clock of a host that
 * is wrong by more than 300 s, receivers would refuse every signature as stale.
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
