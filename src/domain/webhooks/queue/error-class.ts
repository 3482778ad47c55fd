/** Why an attempt got no status. Developers read these names in the list of their deliveries, so they never change. */
export type ErrorClass =
  | 'E_BLOCKED_ADDRESS'
  | 'E_UNSAFE_URL'
  | 'E_DNS'
  | 'E_DNS_TIMEOUT'
  | 'E_CONNECT_TIMEOUT'
  | 'E_REFUSED'
  | 'E_RESET'
  | 'E_TLS'
  | 'E_DEADLINE'
  | 'E_BAD_RESPONSE'
  | 'E_HEAD_TOO_LARGE'
  | 'E_ABORTED'
