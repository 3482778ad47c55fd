/** Calls that /trpc takes in one request. */
export const CALL_BATCH_MAX = 10

/** How long after an account was closed what is left of the person is erased. */
export const ERASED_AFTER_DAYS = 30

// Lengths of texts, in code points.
/** Of an application, of a key. */
export const NAME_LENGTH_MAX = 100
export const BIO_LENGTH_MAX = 500
export const MESSAGE_LENGTH_MAX = 500
export const PASSWORD_LENGTH_MIN = 10
export const STREAM_TITLE_LENGTH_MAX = 140
export const WEBHOOK_DESCRIPTION_LENGTH_MAX = 500
export const WEBHOOK_URL_LENGTH_MAX = 2_048
