/**
 * The result of `work`, or of `onLate` when `work` takes longer than `ms`; `onLate` may throw. The work itself goes on, and
 * its rejection after that is ignored.
 */
export async function within<Result, Late>(
  ms: number,
  work: PromiseLike<Result>,
  onLate: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<typeof isLate>((resolve) => {
    timer = setTimeout(resolve, ms, isLate)
  })
  try {
    const first = await Promise.race([work, late])
    return first === isLate ? onLate() : first
  } finally {
    clearTimeout(timer)
  }
}

const isLate = Symbol('late')
