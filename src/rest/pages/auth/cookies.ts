import type { IncomingMessage } from 'node:http'
import type { Response } from 'express'

/** `login`: of a login that waits for its second factor. */
type CookieName = 'sid' | 'visitor' | 'login'

/** As browsers know it: `__Host-` needs https (RFC 6265bis, section 4.1.3.2). */
const fullName = (name: CookieName, publicUrl: string) => (isHttps(publicUrl) ? `__Host-${name}` : name)

const isHttps = (publicUrl: string) => publicUrl.startsWith('https:')

export function readCookie({ headers }: IncomingMessage, name: CookieName, publicUrl: string): string | undefined {
  const start = `${fullName(name, publicUrl)}=`
  const pair = headers.cookie?.split(/; */).find((one) => one.startsWith(start))
  return pair?.slice(start.length) || undefined
}

/** Not readable by scripts, not sent with forms of other sites, and gone when the browser closes, unlike its session. */
export function setCookie(response: Response, name: CookieName, value: string, publicUrl: string): void {
  response.append('Set-Cookie', `${fullName(name, publicUrl)}=${value}; ${attributes(publicUrl)}`)
}

export function clearCookie(response: Response, name: CookieName, publicUrl: string): void {
  response.append('Set-Cookie', `${fullName(name, publicUrl)}=; ${attributes(publicUrl)}; Max-Age=0`)
}

const attributes = (publicUrl: string) => `Path=/; HttpOnly; SameSite=Lax${isHttps(publicUrl) ? '; Secure' : ''}`
