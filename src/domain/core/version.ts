/** The version of the API; `/v1` grows only additively, so its first number is that of the path. */
export const apiVersion = '1.0.0'
