import { type Command, Option } from 'commander'
import { type SubscribableType, subscribableTypes } from '../domain/events/types.ts'
import { type Forwarded, forwardEvents } from '../domain/webhooks/deliveries/forward.ts'
import { isSuccess } from '../shared/delivery.ts'
import { printable } from '../telemetry/printable.ts'
import { LinkedController } from '../time/linked-controller.ts'
import { type ApiAccess, addApiAccess, withApiAccess } from './api-access.ts'
import { addAction, type CliIo, type CommandOutput, demoLines, oneOf, parseCount, Refusal } from './io.ts'
import { jsonLine } from './json-line.ts'
import { formatResponse } from './output.ts'
import { type FeedEvent, resumedFeed } from './resumed-feed.ts'
import { addSigningSecret, parseReceiver, readSigningSecret, type SigningSecret } from './signing.ts'

type Options = {
  forwardTo: string
  types?: SubscribableType[]
  channel?: string
  since?: string
  after?: string
  count?: number
  timeout?: number
  json?: boolean
}

const WHO =
  'an application by its API key or token, or as a user by theirs: it hears what its scopes let it read; without one as whoever has logged in ("login")'

export function addListen(command: Command, io: CliIo): void {
  addApiAccess(command, WHO)
    .requiredOption('--forward-to <url>', 'the receiver; it may be on this machine', parseReceiver)
    .option('--types <types>', 'separated by commas; all that may be read when left out', parseTypes)
    .option('--channel <channel>', 'a username or an identifier; all channels when left out, or the user’s own')
    .addOption(new Option('--since <time>', 'begin there, RFC 3339; at most 30 days back').conflicts('after'))
    .option('--after <cursor>', 'go on behind what was heard before; --json shows a cursor with each event')
    .option('--count <events>', 'end after so many', parseCount)
    .option('--timeout <seconds>', 'end after so long; status 1 when --count is not reached by then', parseCount)
  addSigningSecret(command)
  addAction(command, io, {
    examples: [
      ...demoLines.receiver,
      'events listen --forward-to http://127.0.0.1:4000/webhooks',
      'events listen --forward-to http://127.0.0.1:4000/webhooks --types chat.message.sent,livestream.started --channel "$(demo users.streamer.username)"',
      `events listen --forward-to http://127.0.0.1:4000/webhooks --since "$(node -p 'new Date(Date.now() - 3_600_000).toISOString()')" --count 10 --timeout 60`,
      '$ DEVELOPER_API_KEY="$(demo api_key)" npx developer-api events listen --forward-to http://127.0.0.1:4000/webhooks --url "$(demo base_url)"',
    ],
    work: async () => {
      const options = command.opts<Options>()
      const signing = await readSigningSecret(command, io)
      const listening = new Listening(io, signing, options)
      await withApiAccess(command, io, (api) => listening.run(api))
      return listening.output()
    },
  })
}

/** One run of the command, which writes a line for each event. */
class Listening {
  readonly #io: CliIo
  readonly #signing: SigningSecret
  readonly #options: Options
  readonly #counts = { forwarded: 0, failed: 0 }
  #cursor: string | null = null
  /** When the first event happened that was not taken. */
  #failedSince: string | null = null

  constructor(io: CliIo, signing: SigningSecret, options: Options) {
    this.#io = io
    this.#signing = signing
    this.#options = options
  }

  /** Listens until it is stopped, `--count` or `--timeout` is reached, or the service refuses. */
  async run({ feed, targets }: ApiAccess): Promise<void> {
    const { types, channel, since, after, forwardTo: url, count, timeout } = this.#options
    const stopping = this.#io.stopping()
    using ending = new LinkedController({ signal: stopping, ms: timeout && timeout * 1000 })
    const { signal } = ending
    const notices = { signal, onInterruption: this.#tellInterruption, onMissed: this.#tellMissed }
    await forwardEvents(resumedFeed(feed({ types, channel }), { since, after }, notices), {
      url,
      secret: this.#signing.secret,
      targets,
      count,
      signal,
      onListening: this.#tellListening,
      onForwarded: this.#tellForwarded,
    })
    const taken = this.#counts.forwarded + this.#counts.failed
    if (count === undefined || taken >= count || stopping.aborted) return
    throw new Refusal({ code: 'timeout', message: `Only ${taken} of ${count} events came within ${timeout} s.` })
  }

  output(): CommandOutput {
    const { forwarded, failed } = this.#counts
    const goOn = this.#cursor === null ? '' : `\nTo go on behind them: --after ${printable(this.#cursor)}`
    const since = this.#failedSince
    const again = since === null ? '' : `\nTo get again what was not taken: --since ${printable(since)}`
    const text = `Events taken: ${forwarded}, not taken: ${failed}.${again}${goOn}`
    const data = { ...this.#counts, failed_since: since, cursor: this.#cursor }
    return { data, text, failed: failed > 0 }
  }

  /** What comes last before the first event: from here on everything is heard. */
  #tellListening = () => {
    const { json, types, channel } = this.#options
    const what = `${types ? types.join(', ') : 'all events'}${channel === undefined ? '' : ` of ${channel}`}`
    const { shown } = this.#signing
    if (json) return this.#io.write(jsonLine({ signing_secret: shown }))
    this.#io.write(`Signing with ${shown ?? 'the secret that was given'}\nListening for ${printable(what)}\n`)
  }

  #tellForwarded = (forwarded: Forwarded, { cursor, payload }: FeedEvent) => {
    this.#cursor = cursor
    const isTaken = isSuccess(forwarded.status)
    this.#counts[isTaken ? 'forwarded' : 'failed']++
    if (!isTaken) this.#failedSince ??= String(JSON.parse(payload).timestamp)
    const { json } = this.#options
    this.#io.write(json ? jsonLine({ ...forwarded, cursor }) : `${describe(this.#io, forwarded)}\n`)
  }

  #tellInterruption = (isInterrupted: boolean) =>
    this.#io.printError(
      isInterrupted ? 'Connection lost: reconnecting.' : 'Reconnected: what happened meanwhile follows.',
    )

  #tellMissed = (why: string) => this.#io.printError(`Missed: ${printable(why)} What is kept follows.`)
}

const describe = (io: CliIo, { id, type, status, error_class, duration_ms }: Forwarded) =>
  `${printable(id)}  ${printable(type).padEnd(22)}  ${formatResponse(io, status, error_class)}  ${duration_ms} ms`

const parseTypes = (text: string) => text.split(',').map(oneOf(subscribableTypes))
