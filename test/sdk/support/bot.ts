import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { DemoCredentials } from '../../../src/domain/demo/credentials.ts'
import { Browser } from '../../support/browser.ts'
import { environment } from '../../support/process.ts'

/** A program in a folder, as somebody runs it; what it writes is there to be waited for. */
export function startProgram(file: string, words: readonly string[], cwd: string, given: Record<string, string>) {
  const child: ChildProcess = spawn(file, words, { cwd, env: environment(given) })
  const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]) => code ?? signal)
  let text = ''
  let heard = () => {}
  const add = (chunk: Buffer) => {
    text += chunk
    heard()
  }
  child.stdout?.on('data', add)
  child.stderr?.on('data', add)
  return {
    ended,
    text: () => text,
    /** Resolves when it has written what matches; throws when it ends before. */
    async until(pattern: RegExp): Promise<RegExpExecArray> {
      const found = new Promise<RegExpExecArray>((resolve) => {
        heard = () => {
          const match = pattern.exec(text)
          if (match) resolve(match)
        }
        heard()
      })
      const isOver = ended.then((code) => {
        const match = pattern.exec(text)
        if (match) return match
        throw new Error(`${words.join(' ')} ended with ${code} before ${pattern}:\n${text}`)
      })
      isOver.catch(() => {})
      return Promise.race([found, isOver])
    },
    stop: async () => {
      child.kill('SIGTERM')
      return ended
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A person who opens an address of the service, allows what it asks for, and is where they are sent back to. */
export async function allowAt(
  base: string,
  { username, password }: DemoCredentials['users']['streamer'],
  address: string,
) {
  const browser = new Browser(base)
  await browser.submit(await browser.get('/login'), '/login', { username, password })
  const asked = await browser.get(address)
  const left = asked.location ? asked : await browser.submit(asked, '/oauth/authorize', { decision: 'allow' })
  return fetch(left.location ?? '')
}

/** The room of a channel: what others say there, and what comes of it. */
export function roomOf(owner: string, base: () => string) {
  const call = async (path: string, token: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(`${base()}${path}`, {
      method: body ? 'POST' : 'GET',
      headers,
      body: body ? JSON.stringify(body) : null,
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response
  }
  return {
    say: (token: string, content: string) => call('/v1/chat/messages', token, { room_name: owner, content }),
    /** All that was said in the last hours, oldest first, once `content` is among it. */
    async until(content: string, token: string): Promise<string[]> {
      const { data } = (await (await call(`/v1/chat/messages?room_name=${owner}`, token)).json()) as {
        data: { content: string }[]
      }
      const said = data.map((message) => message.content)
      if (said.includes(content)) return said
      await call('/v1/events?types=chat.message.sent&wait=2', token)
      return this.until(content, token)
    },
  }
}
