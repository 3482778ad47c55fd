/** A subscription without one success for so many days, and after so many failures, is disabled. */
export const DISABLE_AFTER_DAYS = 5
export const DISABLE_AFTER_FAILURES = 20

/** Whether a receiver took a delivery; `null` stands for no answer. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300
