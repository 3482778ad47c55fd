import { isIP } from 'node:net'
import { Problem } from '../errors.ts'
import type { Guard } from './guard.ts'

export const URL_LENGTH_MAX = 2048

const nameNever = /(^|\.)(internal|onion|invalid)$/
const nameLocal = /(^|\.)(localhost|local|localdomain|lan|intranet|home\.arpa|test|example)$/
// biome's rule against control characters in patterns does not reach a pattern that is made from a text
const unprintable = /[\u0000-\u0020\u007f\\]/
const withUserName = /^[a-z]+:\/\/[^/?#]*@/i

/**
 * The parsed URL of a receiver. Asked when a subscription is made and before each attempt, because the policy may have
 * changed since. WHATWG parsing turns every spelling of an IPv4 address (`2130706433`, `0x7f.1`, full-width digits) into
 * the one that is judged. Throws `invalid_url` with a message that begins with `url` and says why.
 */
export function checkTargetUrl({ allowPrivate, isAllowed }: Guard, input: string): URL {
  const url = parse(input)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) refuse('must begin with https://.')
  if (url.username || url.password || withUserName.test(input)) refuse('must not contain a user name.')
  if (input.includes('#')) refuse('must not contain a fragment.')
  if (!allowPrivate && !['', '443', '8443'].includes(url.port)) refuse('may only lead to port 443 or 8443.')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return isAllowed(host) ? url : refuse('leads to an address that is not allowed.')
  return isNameAllowed(host.replace(/\.$/, ''), allowPrivate) ? url : refuse('leads to a name that is not allowed.')
}

function parse(input: string): URL {
  if (input.length > URL_LENGTH_MAX) refuse(`is longer than ${URL_LENGTH_MAX} characters.`)
  if (unprintable.test(input)) refuse('contains a control character, a space or a backslash.')
  if (!URL.canParse(input)) refuse('is not absolute.')
  return new URL(input)
}

function isNameAllowed(name: string, allowPrivate: boolean): boolean {
  if (name === '' || nameNever.test(name)) return false
  return allowPrivate || (name.includes('.') && !nameLocal.test(name))
}

function refuse(why: string): never {
  throw new Problem('invalid_url', `url ${why}`)
}
