import type { IncomingMessage } from 'node:http'
import type { Response } from 'express'

/** `login`: of a login that waits for its second factor. `devices`: to which accounts the browser is known. */
type CookieName = 'sid' | 'visitor' | 'login' | 'devices'

/** As browsers know it: `__Host-` needs https (RFC 6265bis, section 4.1.3.2). */
const fullName = (name: CookieName, publicUrl: string) => (isHttps(publicUrl) ? `__Host-${name}` : name)

const isHttps = (publicUrl: string) => publicUrl.startsWith('https:')

export function readCookie({ headers }: IncomingMessage, name: CookieName, publicUrl: string): string | undefined {
  const start = `${fullName(name, publicUrl)}=`
  const pair = headers.cookie?.split(/; */).find((one) => one.startsWith(start))
  return pair?.slice(start.length) || undefined
}

/** As long as browsers keep a cookie at all (RFC 6265bis, section 5.5): 400 days. */
const KEPT_S = 400 * 86_400

/** Not readable by scripts, not sent with forms of other sites, and gone when the browser closes, unlike its session. */
export function setCookie(response: Response, name: CookieName, value: string, publicUrl: string): void {
  response.append('Set-Cookie', `${fullName(name, publicUrl)}=${value}; ${attributes(publicUrl)}`)
}

/** The same, but it stays when the browser closes. */
export function keepCookie(response: Response, name: CookieName, value: string, publicUrl: string): void {
  response.append('Set-Cookie', `${fullName(name, publicUrl)}=${value}; ${attributes(publicUrl)}; Max-Age=${KEPT_S}`)
}

export function clearCookie(response: Response, name: CookieName, publicUrl: string): void {
  response.append('Set-Cookie', `${fullName(name, publicUrl)}=; ${attributes(publicUrl)}; Max-Age=0`)
}

const attributes = (publicUrl: string) => `Path=/; HttpOnly; SameSite=Lax${isHttps(publicUrl) ? '; Secure' : ''}`
