import { BlockList, isIP, isIPv6 } from 'node:net'

/** `family`: 4 or 6. */
export type Address = { address: string; family: number }

// One list per family: an IPv4 rule of a BlockList also matches the mapped IPv6 form ::ffff:a.b.c.d.

/** The special-purpose registry of IPv4 (RFC 6890 and successors), and the public address of one cloud's internal service. */
const notPublic4 = blockList(
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
)
/** Global unicast. All other IPv6 addresses fail closed: mapped, translated, local, unallocated. */
const global6 = blockList('2000::/3')
const notPublic6 = blockList('2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20')

const private4 = blockList('127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16')
const private6 = blockList('::1/128', 'fc00::/7')

/** Metadata services of clouds, addresses that are no single host, and IPv6 forms that carry an IPv4 address. */
const never4 = blockList(
  ...['0.0.0.0/8', '169.254.0.0/16', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
)
const never6 = blockList(
  ...['fe80::/10', 'ff00::/8', 'fd00:ec2::/32', 'fd20:ce::/32', '64:ff9b::/32', '2001::/32', '2002::/16'],
)
const loopback6 = blockList('::1/128')
const zeroes6 = blockList('::/16')

/** 4 or 6; 0 for what is no address, and for an address with a zone (`fe80::1%lo`), which is never public. */
function familyOf(address: string): number {
  return address.includes('%') ? 0 : isIP(address)
}

/** Whether the address may belong to a host of the public Internet. */
export function isPublicAddress(address: string): boolean {
  if (familyOf(address) === 4) return !notPublic4.check(address, 'ipv4')
  return familyOf(address) === 6 && global6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6')
}

/** Loopback and private networks; never link-local, never a metadata service. */
export function isPrivateAddress(address: string): boolean {
  if (isNeverAllowed(address)) return false
  if (familyOf(address) === 4) return private4.check(address, 'ipv4')
  return private6.check(address, 'ipv6')
}

/** A function that tells whether the operator's CIDRs contain an address. No list allows what is never allowed. */
export function membership(cidrs: readonly string[]): (address: string) => boolean {
  const list4 = blockList(...cidrs.filter((cidr) => !cidr.includes(':')))
  const list6 = blockList(...cidrs.filter((cidr) => cidr.includes(':')))
  return (address) => {
    if (isNeverAllowed(address)) return false
    return familyOf(address) === 4 ? list4.check(address, 'ipv4') : list6.check(address, 'ipv6')
  }
}

function isNeverAllowed(address: string): boolean {
  const family = familyOf(address)
  if (family === 4) return never4.check(address, 'ipv4')
  if (family !== 6 || never6.check(address, 'ipv6')) return true
  return zeroes6.check(address, 'ipv6') && !loopback6.check(address, 'ipv6')
}

function blockList(...cidrs: string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', prefix] = cidr.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return list
}
