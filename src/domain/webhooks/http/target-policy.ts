import { networkInterfaces } from 'node:os'
import type { TargetPolicy } from '../../core/context.ts'
import { isPrivateAddress, isPublicAddress, membership } from './address-rules.ts'

/** A policy in the form in which each URL and each address is checked against it. */
export type TargetRules = Pick<TargetPolicy, 'allowPrivate' | 'proxyUrl' | 'ownPorts'> & {
  /** Whether an address may be connected to. Fails closed: what is not a plain address is not allowed. */
  isAllowed: (address: string) => boolean
}

/** Parses the operator's lists once, for the checks of every URL, every address from DNS and every socket. */
export function compileTargetPolicy({ allowPrivate, allowCidrs, proxyUrl, ownPorts = [] }: TargetPolicy): TargetRules {
  const isListed = membership(allowCidrs)
  const isAllowed = (address: string) =>
    isPublicAddress(address) || (allowPrivate && isPrivateAddress(address)) || isListed(address)
  return { allowPrivate, proxyUrl, ownPorts, isAllowed }
}

/**
 * The rules for a port. On the ports of this service no address of this machine is allowed: a webhook would reach from
 * inside what is shut to the outside, and an event that is about itself would never end. Another machine's is not ours.
 */
export function rulesForPort(rules: TargetRules, port: number): TargetRules {
  if (!rules.ownPorts?.includes(port)) return rules
  return { ...rules, isAllowed: (address) => rules.isAllowed(address) && !isThisMachine(address) }
}

/** Read anew: a machine gets and loses addresses while the service runs. */
function isThisMachine(address: string): boolean {
  if (/^(127\.|::1$)/.test(address)) return true
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address))
}

/** The port that a URL leads to, also when it does not say. */
export const portOf = ({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number =>
  Number(port) || (protocol === 'https:' ? 443 : 80)
