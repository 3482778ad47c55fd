import { setTimeout as after } from 'node:timers/promises'
import type { Command } from 'commander'
import { printable } from '../../telemetry/printable.ts'
import { requireServiceUrl, serviceUrl, URL_LEFT_OUT, urlOption } from '../api-access.ts'
import { addAction, type CliIo, parseScopes, Refusal } from '../io.ts'
import { readLogins, writeLogins } from './login-file.ts'
import { withLoginLock } from './login-lock.ts'
import { type IssuedTokens, OAuthCalls } from './oauth-calls.ts'

const URL_SHAPE = 'the service: its address without a path'

/** Whose it is, what can be heard, and the webhooks that the application makes for whoever logs in: for every command that takes a key. */
const SCOPES = ['user:read', 'channel:read', 'livestream:read', 'chat:read', 'moderation:read', 'webhook:write']

export function addLogin(command: Command, io: CliIo): void {
  command
    .requiredOption('--client-id <id>', 'cli_…: a public application that is registered for devices')
    .addOption(urlOption(`${URL_SHAPE}; ${URL_LEFT_OUT}`))
    .option(
      '--scopes <scopes>',
      `what it may do for you, separated by commas; ${SCOPES.join(',')} when left out`,
      parseScopes,
    )
  addAction(command, io, {
    examples: ['login --client-id cli_…', 'login --client-id cli_… --url https://api.example.com'],
    work: async () => {
      const {
        clientId,
        url: given,
        scopes = SCOPES,
      } = command.opts<{ clientId: string; url?: string; scopes?: string[] }>()
      const url = requireServiceUrl(command, await serviceUrl(io, given))
      const calls = new OAuthCalls(url, clientId)
      const codes = await calls.deviceCodes(scopes.join(' '))
      const stopping = io.stopping()
      const tokens = await allowed(io, calls, codes, stopping)
      const username = await calls.username(tokens.access_token, stopping).catch(orStopped(stopping))
      await keep(io, url, { client_id: clientId, username, ...tokens }, stopping)
      const data = { url, username, scope: tokens.scope }
      return { data, text: `Logged in${username === null ? '' : ` as ${printable(username)}`} at ${url}.` }
    },
  })
}

/** Shows a code and waits until somebody has entered it (RFC 8628, section 3.3). Throws `Refusal`. */
async function allowed(io: CliIo, calls: OAuthCalls, codes: DeviceCodes, stopping: AbortSignal): Promise<IssuedTokens> {
  const { device_code: code, user_code, verification_uri: page, expires_in, interval } = codes
  io.showProgress(`Open ${printable(page)} and enter the code ${printable(user_code)}\n`)
  const poll = { code, pauseS: interval, until: Date.now() + expires_in * 1000, stopping }
  for (;;) {
    const tokens = await asked(calls, poll)
    if (tokens) return tokens
  }
}

type DeviceCodes = Awaited<ReturnType<OAuthCalls['deviceCodes']>>
type Poll = { code: string; pauseS: number; until: number; stopping: AbortSignal }

/** Asks once, after the pause; undefined when nobody has answered yet. */
async function asked(calls: OAuthCalls, poll: Poll): Promise<IssuedTokens | undefined> {
  await after(poll.pauseS * 1000, undefined, { signal: poll.stopping }).catch(refuseStopped)
  if (Date.now() > poll.until)
    throw new Refusal({ code: 'expired_token', message: 'Nobody has entered the code in time. Log in again.' })
  try {
    return await calls.byDeviceCode(poll.code, poll.stopping)
  } catch (error) {
    const why = error instanceof Refusal ? error.problem.code : ''
    if (!GOES_ON.has(why)) throw error
    if (why === 'slow_down') poll.pauseS += 5
    return undefined
  }
}

/** A call that was cut off by a stop is among them: the pause behind it says so. */
const GOES_ON = new Set(['authorization_pending', 'slow_down', 'unreachable'])

function refuseStopped(): never {
  const message = 'Stopped before it was done: nothing was kept. The command can be run again.'
  throw new Refusal({ code: 'stopped', message })
}

/** For what a stop cuts off. */
const orStopped = (stopping: AbortSignal) => (error: unknown) => {
  if (stopping.aborted) refuseStopped()
  throw error
}

type Kept = Parameters<typeof writeLogins>[1]['logins'][string]

/** In place of an earlier login there, which is ended: nobody would use it again. */
async function keep({ configFolder }: CliIo, url: string, login: Kept, stopping: AbortSignal): Promise<void> {
  const folder = configFolder()
  const replace = async () => {
    const { logins } = readLogins(folder)
    writeLogins(folder, { current: url, logins: { ...logins, [url]: login } })
    return logins[url]
  }
  const before = await withLoginLock(folder, replace, stopping).catch(orStopped(stopping))
  if (before) await new OAuthCalls(url, before.client_id).revoke(before.refresh_token, stopping).catch(() => {})
}

export function addLogout(command: Command, io: CliIo): void {
  command.addOption(urlOption(`${URL_SHAPE}; the last that was logged in to when left out`))
  addAction(command, io, {
    examples: ['logout', 'logout --url https://api.example.com'],
    work: async () => {
      const { url: given } = command.opts<{ url?: string }>()
      const folder = io.configFolder()
      const { url, login } = await withLoginLock(folder, async () => forget(folder, given && new URL(given).origin))
      const isRevoked = await new OAuthCalls(url, login.client_id).revoke(login.refresh_token).then(
        () => true,
        () => false,
      )
      const data = { url, username: login.username, revoked: isRevoked }
      const still = isRevoked ? '' : ' The service could not be told: revoke the access in its console, under Account.'
      return { data, text: `Logged out at ${url}.${still}`, failed: !isRevoked }
    },
  })
}

/** Takes a login out of the file, the one of the last service where none is named. Throws `Refusal` where there is none. */
function forget(folder: string, wanted: string | undefined) {
  const { current, logins } = readLogins(folder)
  const url = wanted ?? current
  const login = url === null ? undefined : logins[url]
  if (!login || url === null) throw new Refusal({ code: 'not_found', message: 'You are not logged in there.' })
  const { [url]: _, ...others } = logins
  writeLogins(folder, { current: url === current ? (Object.keys(others)[0] ?? null) : current, logins: others })
  return { url, login }
}
