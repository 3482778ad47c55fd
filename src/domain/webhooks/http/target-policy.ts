import { isPrivateAddress, isPublicAddress, membership } from './address-rules.ts'

/** Where webhooks may lead, as the operator configured it. */
export type TargetPolicy = {
  /** Development, and receivers inside one's own network: loopback, private networks, `http:`, any port, bare names. */
  allowPrivate: boolean
  /** Private networks that may be called although `allowPrivate` is off, such as `10.20.0.0/16`. */
  allowCidrs: readonly string[]
  /** An egress proxy, `http://user:password@host:port`; it is asked for judged addresses only. */
  proxyUrl: string | undefined
}

/** A policy made ready to judge. */
export type TargetGuard = Pick<TargetPolicy, 'allowPrivate' | 'proxyUrl'> & {
  /** Whether an address may be dialled. Fails closed: what is no plain address is not allowed. */
  isAllowed: (address: string) => boolean
}

/** Prepares the operator's lists once; the guard is then asked about every URL, every answer of DNS and every socket. */
export function createGuard({ allowPrivate, allowCidrs, proxyUrl }: TargetPolicy): TargetGuard {
  const isOwn = membership(allowCidrs)
  const isAllowed = (address: string) =>
    isPublicAddress(address) || (allowPrivate && isPrivateAddress(address)) || isOwn(address)
  return { allowPrivate, proxyUrl, isAllowed }
}
