import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { drain } from '../../src/process/listen.ts'
import { createLiveApp } from '../support/app.ts'

type App = Awaited<ReturnType<typeof createLiveApp>>

async function dial({ base }: App): Promise<Socket> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

const BODY = 'grant_type=no'
const HEAD = `POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${BODY.length}\r\n\r\n`

/** Sends the rest of a request, and returns the answer's header `Connection`. */
async function answerTo(socket: Socket, sent: string): Promise<string | undefined> {
  socket.write(sent)
  const [answer] = await once(socket, 'data')
  return /^Connection: (.*)\r$/m.exec(String(answer))?.[1]
}
const ask = (socket: Socket) => answerTo(socket, HEAD + BODY)

/** Half a request: its head was read, and its body is waited for. */
async function begin(app: App, socket: Socket) {
  const asked = once(app.server, 'request')
  socket.write(HEAD)
  await asked
}

test('behind a proxy a connection is kept until the port is closed, and takes one more request after it', async () => {
  await using app = await createLiveApp()
  const [busy, idle, unused] = [await dial(app), await dial(app), await dial(app)]
  for (const socket of [busy, idle]) expect(await ask(socket)).toBe('keep-alive')
  const begun = await dial(app)
  const drained = drain(app.server, { trustedProxies: 1 })
  await begin(app, begun)
  while (app.server.listening) {
    const kept = await ask(busy)
    if (app.server.listening) expect(kept).toBe('keep-alive')
    await turn()
  }
  const ended = once(unused, 'close')
  expect(await ask(idle)).toBe('close') // `http` would have closed it with the port
  expect(await answerTo(begun, BODY)).toBe('close') // begun before the port was closed
  await ended // though nothing ever came on it, which is no idle connection for Node
  await drained
})

test('without a proxy the port is closed at once, silent connections half a second later, and those in use after their answer, which says so', async () => {
  await using app = await createLiveApp()
  const [idle, begun] = [await dial(app), await dial(app)]
  expect(await ask(idle)).toBe('keep-alive')
  await begin(app, begun)
  const drained = drain(app.server, { trustedProxies: 0 })
  expect(app.server.listening).toBe(false)
  await once(idle, 'close')
  expect(await answerTo(begun, BODY)).toBe('close')
  await drained
})
