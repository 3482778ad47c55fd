/** Intervals in PostgreSQL's syntax, and a number of seconds where the response tells it. */
export const ACCESS_TOKEN_S = 3600
export const ACCESS_TOKEN_LIFE = `${ACCESS_TOKEN_S} seconds`
/** From its issue, but never past the end of its grant. */
export const REFRESH_TOKEN_LIFE = '30 days'
/** From the consent, however often it is refreshed. */
export const GRANT_LIFE = '1 year'
export const CODE_LIFE = '60 seconds'
export const DEVICE_CODE_S = 600
export const DEVICE_CODE_LIFE = `${DEVICE_CODE_S} seconds`
export const ID_TOKEN_S = 3600
