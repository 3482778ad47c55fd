const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** `12,345` */
export const exactly = (value: number): string => whole.format(value)

/** `12.3K`, for where there is little room. */
export const shortly = (value: number): string => short.format(value)

/** `1.2%`; of nothing it is none. */
export const shareOf = (part: number, all: number): string => share.format(all === 0 ? 0 : part / all)
