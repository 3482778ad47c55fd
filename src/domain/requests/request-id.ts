const FORM = /^[\w.:=+/-]{1,128}$/
const OURS = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether an `X-Request-Id` of a caller is taken over; else the request gets one of ours. */
export const isRequestId = (given: string): boolean => FORM.test(given)

/** Whether it has the form of those that we give: a UUID. */
export const isOwnRequestId = (id: string): boolean => OURS.test(id)

/** What those are like that we give, in words for a refusal. */
export const OWN_REQUEST_IDS = 'UUIDs, such as 0b9c3f6e-8d3b-4c1e-9a57-2f6d1c0e4b7a'

/** The same for all that can be one. */
export const REQUEST_ID_FORM =
  'the X-Request-Id of an answer: a UUID such as 0b9c3f6e-8d3b-4c1e-9a57-2f6d1c0e4b7a, or what you sent yourself as X-Request-Id, 1 to 128 of a-z, A-Z, 0-9 and _ . : = + / -'
