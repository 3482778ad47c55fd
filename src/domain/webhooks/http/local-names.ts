import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Address } from './address-rules.ts'

/** What the system knows of names without asking a name server. */
export type LocalNames = {
  /** Of /etc/hosts, and of `localhost` and what is under it (RFC 6761, section 6.3); none for any other name. */
  addressesOf: (host: string) => Address[]
  /** The names that a host may be short for, in the order in which to ask for them: /etc/resolv.conf. */
  candidatesFor: (host: string) => string[]
}

const loopback: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Reads the two files when they have changed, at once and not on a thread of the pool: they are short. */
export function localNames(hostsPath = '/etc/hosts', resolvPath = '/etc/resolv.conf'): LocalNames {
  const hosts = whenChanged(hostsPath, parseHosts)
  const search = whenChanged(resolvPath, parseSearch)
  return {
    addressesOf: (host) => {
      const name = host.toLowerCase().replace(/\.$/, '')
      return hosts().get(name) ?? (/(^|\.)localhost$/.test(name) ? loopback : [])
    },
    candidatesFor: (host) => {
      if (host.endsWith('.')) return [host]
      const { domains, dots } = search()
      const longer = domains.map((domain) => `${host}.${domain}`)
      return host.split('.').length > dots ? [host, ...longer] : [...longer, host]
    },
  }
}

/** A line is an address and its names; what is behind # is a comment. */
function parseHosts(text: string): Map<string, Address[]> {
  const hosts = new Map<string, Address[]>()
  for (const [address = '', ...names] of wordsOf(text)) {
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names.map((one) => one.toLowerCase()))
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family }])
  }
  return hosts
}

/** `search` of the last line that has it, and `ndots`: from so many dots on a name is asked for as it is first. */
function parseSearch(text: string): { domains: string[]; dots: number } {
  const lines = wordsOf(text)
  const domains = lines.findLast(([first]) => first === 'search' || first === 'domain')?.slice(1) ?? []
  const options = lines.filter(([first]) => first === 'options').flat()
  const dots = options.map((option) => /^ndots:(\d+)$/.exec(option)?.[1]).findLast((found) => found !== undefined)
  return { domains: domains.filter((domain) => domain !== '.'), dots: Number(dots ?? 1) }
}

const wordsOf = (text: string): string[][] =>
  text.split('\n').map((line) => (line.split('#', 1)[0] ?? '').trim().split(/\s+/))

function whenChanged<Parsed>(path: string, parse: (text: string) => Parsed): () => Parsed {
  let known: { mtimeMs: number; parsed: Parsed } | undefined
  return () => {
    const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (known?.mtimeMs !== mtimeMs) known = { mtimeMs, parsed: parse(mtimeMs === 0 ? '' : readFileSync(path, 'utf8')) }
    return known.parsed
  }
}
