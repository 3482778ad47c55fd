import { isIP } from 'node:net'
import { WEBHOOK_URL_LENGTH_MAX } from '../../../shared/limits.ts'
import { Problem } from '../../core/problem.ts'
import { isWebAddress, parseUrl, uriOf } from '../../core/url.ts'
import { portOf, rulesForPort, type TargetRules } from './target-policy.ts'

const nameNever = /(^|\.)(internal|onion|invalid)$/
const nameLocal = /(^|\.)(localhost|local|localdomain|lan|intranet|home\.arpa|test|example)$/
const unprintable = /[\p{Cc}\p{Z}]|\\/u
const withAuthority = /^[a-z]+:\/\/[^/?#]/i
const withUserName = /^[a-z]+:\/\/[^/?#]*@/i

/**
 * The parsed URL of a receiver. Called when a subscription is created and again before each attempt, because the policy may
 * have changed since. WHATWG parsing turns every spelling of an IPv4 address (`2130706433`, `0x7f.1`, full-width digits)
 * into the one that is checked. Throws `invalid_url` with a message that begins with `url` and says why.
 */
export function checkTargetUrl(rules: TargetRules, input: string): URL {
  const url = parse(input)
  refuseForm(rules, input, url)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const { isAllowed } = rulesForPort(rules, portOf(url))
  if (isIP(host)) return isAllowed(host) ? url : refuse('leads to an address that is not allowed.')
  const name = host.replace(/\.$/, '')
  if (isNameAllowed(rules, name) && (!/(^|\.)localhost$/.test(name) || isAllowed('127.0.0.1'))) return url
  return refuse('leads to a name that is not allowed.')
}

/**
 * The same for a URL that is about to be kept: returns it as a URI (RFC 3986), in which form it is shown and called. One that is a
 * URI stays letter for letter; in any other what browsers would mend is percent-encoded, if it has an authority.
 */
export function checkNewTargetUrl(rules: TargetRules, input: string): string {
  const url = checkTargetUrl(rules, input)
  if (isWebAddress(input)) return input
  const uri = uriOf(url)
  if (!withAuthority.test(input)) refuse(`has no "//" and host behind its scheme: write it as ${uri}`)
  if (!isWebAddress(uri)) refuse('has a host that no URI can have.')
  checkTargetUrl(rules, uri) // it may have become too long
  return uri
}

function refuseForm({ allowPrivate }: TargetRules, input: string, url: URL) {
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol)) refuse('must begin with https://.')
  if (url.username || url.password || withUserName.test(input)) refuse('must not contain a user name.')
  if (input.includes('#')) refuse('must not contain a fragment.')
  if (!allowPrivate && !['', '443', '8443'].includes(url.port)) refuse('may only lead to port 443 or 8443.')
}

function parse(input: string): URL {
  if (input.length > WEBHOOK_URL_LENGTH_MAX) refuse(`is longer than ${WEBHOOK_URL_LENGTH_MAX} characters.`)
  if (unprintable.test(input)) refuse('contains a control character, a space or a backslash.')
  return parseUrl(input) ?? refuse('is not absolute.')
}

function isNameAllowed({ allowPrivate }: TargetRules, name: string): boolean {
  if (name.split('.').includes('') || nameNever.test(name)) return false
  return allowPrivate || (name.includes('.') && !nameLocal.test(name))
}

function refuse(why: string): never {
  throw new Problem('invalid_url', `url ${why}`)
}
