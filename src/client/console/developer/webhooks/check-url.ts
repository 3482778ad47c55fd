/**
 * What is wrong with the address of a receiver, as far as its text shows; null when nothing is. The service checks again:
 * only it knows which networks it may call.
 */
export function checkUrl(text: string): string | null {
  if (text.trim() === '') return 'An address is needed.'
  if (!URL.canParse(text)) return 'It must be absolute, like https://example.com/hook.'
  const { protocol, username, password, hash, hostname } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return 'It must begin with https://.'
  if (username || password) return 'It must not contain a user name.'
  if (hash || text.includes('#')) return 'It must not contain a fragment (#…).'
  if (protocol === 'http:' && hostname.includes('.') && !isPrivate(hostname)) return 'On the internet it must be https.'
  return null
}

/** Where development happens: this machine and private networks. */
const isPrivate = (hostname: string) => /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(hostname)
