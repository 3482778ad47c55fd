import { isIPv6 as hasFormOfIPv6 } from 'node:net'
import type { Count, Limit } from '../../counters/counters.ts'
import type { Context } from './context.ts'
import { Problem } from './problem.ts'

/** Every limit of the service and what it counts. The verb that counts chooses the key; what is counted by address has two. */
export const rateLimits = {
  /** Requests under `/v1` and `/trpc`, by credential. */
  credential: { name: 'credential', points: 800, windowS: 60 },
  /** Messages, by sender and room. */
  chat: { name: 'chat', points: 20, windowS: 30 },
  /** Messages of a room's owner in it. */
  chatOwner: { name: 'chat-owner', points: 100, windowS: 30 },
  /** Failed authentications at the token endpoint, by client and address. */
  clientAuthentication: { name: 'client-authentication', points: 20, windowS: 60 },
  /** Failed authentications at the token endpoint, by address alone. */
  clientAuthenticationAddress: { name: 'client-authentication-address', points: 600, windowS: 60 },
  /** DPoP proofs whose signature was verified in vain, by address. */
  dpopProofAddress: { name: 'dpop-proof-address', points: 600, windowS: 60 },
  /** Tokens that stand for an application, by client. */
  applicationTokens: { name: 'application-tokens', points: 600, windowS: 60 },
  /** Tokens that stand for a user, by client and user, so that no user takes from what the client's others have. */
  userTokens: { name: 'user-tokens', points: 120, windowS: 60 },
  /** Authorization requests, by login session. */
  authorizationSession: { name: 'authorization-session', points: 120, windowS: 60 },
  /** Those of whoever is not logged in, by address. */
  authorizationAddress: { name: 'authorization-address', points: 600, windowS: 60 },
  /** Applications that describe themselves and have to be fetched, by the address of who is sent to them. */
  clientDocuments: { name: 'client-documents', points: 60, windowS: 60 },
  /** Applications that describe themselves and that nobody has allowed before, by who allows them. */
  newClients: { name: 'new-clients', points: 50, windowS: 86_400 },
  /** Codes for devices, by address. */
  deviceCodes: { name: 'device-codes', points: 120, windowS: 60 },
  /** Codes of devices that somebody entered and that are none, by login session. */
  userCodeSession: { name: 'user-code-session', points: 10, windowS: 900 },
  /** The same by address. */
  userCodeAddress: { name: 'user-code-address', points: 10, windowS: 900 },
  /** Wrong secrets of the cron job, by address. */
  cronAuthentication: { name: 'cron-authentication', points: 20, windowS: 60 },
  /** Wrong stream keys, by the address of the encoder. */
  streamKey: { name: 'stream-key', points: 20, windowS: 60 },
  /** Encoders that begin, or come back, by stream key: each time costs a transaction. */
  publishing: { name: 'publishing', points: 60, windowS: 60 },
  /** Wrong secrets of media servers, by address. */
  ingestAuthentication: { name: 'ingest-authentication', points: 20, windowS: 60 },
  /** Failed logins, by account and address. */
  loginAccount: { name: 'login-account', points: 5, windowS: 900 },
  /** Failed logins, by address alone. */
  loginAddress: { name: 'login-address', points: 100, windowS: 3600 },
  /** Logins, by account and address: each is a hash, a row, and entries of the log that stay for long. */
  logins: { name: 'logins', points: 300, windowS: 3600 },
  /** New passwords and addresses by whoever is logged in, by account: each ends the links that were sent to it. */
  ownChanges: { name: 'own-changes', points: 10, windowS: 86_400 },
  /** Wrong codes of an authenticator, by account: there are only a million of them. */
  codeAccount: { name: 'code-account', points: 50, windowS: 86_400 },
  /** New accounts, by address. */
  signUp: { name: 'sign-up', points: 20, windowS: 3600 },
  /** Requests for a link to set a new password, by address. */
  forgottenPassword: { name: 'forgotten-password', points: 20, windowS: 3600 },
  /** Invitations to applications, and offers of them, by account. */
  invitations: { name: 'invitations', points: 50, windowS: 86_400 },
  /** The same to one mailbox, or one member. */
  invitationsToOne: { name: 'invitations-to-one', points: 4, windowS: 86_400 },
  /** Exports of what is kept of a person, by user. */
  dataExport: { name: 'data-export', points: 5, windowS: 86_400 },
  /** `webhook.test` on demand, by subscription. */
  webhookTest: { name: 'webhook-test', points: 10, windowS: 60 },
} as const satisfies Record<string, Limit>

/** A limit, and the key for which one is counted. */
export type Counted = readonly [limit: Limit, key: string]

/** How much more a site has than one of its networks, so that neighbours of somebody who tries are not refused with them. */
const SITE_FACTOR = 10

/** What an IPv6 site may, where each of its networks may what `limit` says. */
export const siteLimit = ({ name, points, windowS }: Limit): Limit => ({
  name: `${name}-site`,
  points: SITE_FACTOR * points,
  windowS,
})

/**
 * What counts for an address: its network, then `more`, then its site. The network comes first: once it is refused, its attempts
 * add no counters for anything else. The site comes last: who is refused uses up nothing of it.
 */
export function countsByAddress(limit: Limit, address: string, more: readonly Counted[] = []): readonly Counted[] {
  const site = siteOf(address)
  const ofNetwork: Counted = [limit, networkOf(address)]
  return site === undefined ? [ofNetwork, ...more] : [ofNetwork, ...more, [siteLimit(limit), site]]
}

/** Counts one of each. Throws `rate_limited`, in these words, at the first that is one too many. */
export async function countAllOrRefuse(ctx: Pick<Context, 'counters'>, counts: readonly Counted[], words: Words) {
  for (const [limit, key] of counts) await countOrRefuse(ctx, limit, key, words)
}

/** The message of a refusal; a function where it depends on the count. */
type Words = string | ((count: Count) => string)

/** Counts one of a limit. Throws `rate_limited`, in these words, for one too many. */
export async function countOrRefuse({ counters }: Pick<Context, 'counters'>, limit: Limit, key: string, words: Words) {
  refuseExceeded(await counters.take(limit, key), words, limit)
}

/**
 * Throws `rate_limited`, in these words, when a count has exceeded its limit. The answer's headers then tell of `limit`, unless
 * that is the credential's, of which they tell in any case.
 */
export function refuseExceeded(count: Count, words: Words, limit?: Limit): void {
  if (!count.exceeded) return
  const message = typeof words === 'string' ? words : words(count)
  throw new Problem('rate_limited', message, { retryAfterS: count.resetS, ...(limit && { exceeded: limit }) })
}

/**
 * What stands for a caller in the key of a counter: an IPv4 address as it is, and the /64 of an IPv6 address, because a
 * single household or machine usually has a whole /64 to itself.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1]) return mapped[1]
  return groupsOf(address).slice(0, 4).join(':')
}

/** The /48 of an IPv6 address, which a site holds with all its 65,536 networks; undefined for any other address. */
export function siteOf(address: string): string | undefined {
  return isIPv6(address) && !isMapped(address) ? groupsOf(address).slice(0, 3).join(':') : undefined
}

/** The same of what `networkOf` has made; undefined for an IPv4 address. */
export function siteOfNetwork(network: string): string | undefined {
  const end = network.lastIndexOf(':')
  return end === -1 ? undefined : network.slice(0, end)
}

/** Where somebody is who may have all networks of a site: that, or the network of an IPv4 address. */
export const placeOf = (address: string): string => siteOf(address) ?? networkOf(address)

/** Without a colon it is none; most are told apart by that, which takes a tenth of the time. */
const isIPv6 = (address: string) => address.includes(':') && hasFormOfIPv6(address)

const isMapped = (address: string) => /^::ffff:\d+\./i.test(address)

/** The eight groups of an IPv6 address, without leading zeros; a zone is dropped. */
function groupsOf(address: string): string[] {
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`)
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const before = head === '' ? [] : head.split(':')
  if (tail === undefined) return before
  const after = tail === '' ? [] : tail.split(':')
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
}
