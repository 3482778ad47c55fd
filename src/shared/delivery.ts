/** A subscription without one success for so many days, and after so many failures, is disabled. */
export const DISABLE_AFTER_DAYS = 5
export const DISABLE_AFTER_FAILURES = 20

/** An attempt that takes longer than this makes its receiver a slow one, whatever its answer. */
export const SLOW_MS = 2_000

/** Whether a receiver took a delivery; `null` stands for no answer. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300
