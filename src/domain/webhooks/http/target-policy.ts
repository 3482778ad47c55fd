import type { TargetPolicy } from '../../core/context.ts'
import { isPrivateAddress, isPublicAddress, membership } from './address-rules.ts'

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
