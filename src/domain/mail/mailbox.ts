/**
 * The mailbox that an address leads to, for counting: many providers ignore what stands behind a plus sign, and all ignore the
 * case of the domain. Never an address to send to.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@')
  const [local = ''] = address.slice(0, at).split('+')
  return `${local}${address.slice(at)}`.toLowerCase()
}
