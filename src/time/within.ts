/**
 * The result of `work`, or of `onLate` when `work` takes longer than `ms`; `onLate` may throw. The work itself goes on, and
 * its rejection after that is ignored.
 */
export function within<Result, Late>(
  ms: number,
  work: PromiseLike<Result>,
  onLate: () => Late,
): Promise<Result | Late> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(onLate())
      } catch (error) {
        reject(error)
      }
    }, ms)
    const settling =
      <Value>(settle: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer)
        settle(value)
      }
    work.then(settling(resolve), settling(reject))
  })
}
