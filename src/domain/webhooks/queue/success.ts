/** Whether a receiver has taken a delivery: only 2xx is success. `null` is an attempt without a response. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300
