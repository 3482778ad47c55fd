import type { TargetPolicy } from '../../core/context.ts'
import { isPrivateAddress, isPublicAddress, membership } from './address-rules.ts'

/** A policy in the form in which each URL and each address is checked against it. */
export type TargetRules = Pick<TargetPolicy, 'allowPrivate' | 'proxyUrl'> & {
  /** Whether an address may be connected to. Fails closed: what is not a plain address is not allowed. */
  isAllowed: (address: string) => boolean
}

/** Parses the operator's lists once, for the checks of every URL, every address from DNS and every socket. */
export function compileTargetPolicy({ allowPrivate, allowCidrs, proxyUrl }: TargetPolicy): TargetRules {
  const isListed = membership(allowCidrs)
  const isAllowed = (address: string) =>
    isPublicAddress(address) || (allowPrivate && isPrivateAddress(address)) || isListed(address)
  return { allowPrivate, proxyUrl, isAllowed }
}
