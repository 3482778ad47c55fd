import type { Command } from 'commander'
import { signingKey } from '../../domain/webhooks/secrets/sign.ts'
import { errorMessageOf } from '../../telemetry/error-message.ts'
import { printable } from '../../telemetry/printable.ts'
import { addAction, type CliIo, demoLines, Refusal } from '../io.ts'
import { Painted } from '../painted.ts'
import { addSecretOption, readSecret } from '../secret-option.ts'
import { parseReceiver } from '../signing.ts'
import { type Grade, playCase, receiverCases } from './cases.ts'
import { reachFault } from './post.ts'

const GUIDE = 'docs/guides/webhooks.md'

export function addCheckReceiver(command: Command, io: CliIo): void {
  command.argument('<url>', 'the receiver, such as http://127.0.0.1:4000/webhooks', parseReceiver)
  addSecretOption(command, {
    name: 'secret',
    env: 'WEBHOOK_SECRET',
    description: 'the signing secret that the receiver knows, whsec_…',
  })
  addAction(command, io, {
    examples: [
      ...demoLines.receiver,
      'check-receiver http://127.0.0.1:4000/webhooks',
      'check-receiver http://127.0.0.1:4000/webhooks --secret-file secret.txt',
    ],
    work: async () => {
      const [url = ''] = command.processedArgs as [string?]
      const secret = await requireSecret(command, io)
      await requireReachable(url)
      const cases: Grade[] = []
      for (const one of receiverCases) cases.push(await playCase(url, secret, one))
      const missed = cases.filter(({ passed }) => !passed).length
      const lines = cases.map((grade) => lineOf(io, grade))
      const data = { url, passed: cases.length - missed, missed, cases: cases.map(withGuide) }
      return {
        data,
        text: [...lines, `${cases.length - missed} passed, ${missed} missed`].join('\n'),
        failed: missed > 0,
      }
    },
  })
}

/** Nothing would be learned of a receiver that is not there by playing the cases. */
async function requireReachable(url: string): Promise<void> {
  const fault = await reachFault(url)
  if (fault === undefined) return
  const message = `${url} cannot be reached: ${fault}. Start the receiver there, then check it again; no case was played.`
  throw new Refusal({ code: 'unreachable', message })
}

async function requireSecret(command: Command, io: CliIo): Promise<string> {
  const secret = await readSecret(command, io, 'secret')
  if (secret === undefined) command.error('error: the signing secret is missing: use --secret-file, or WEBHOOK_SECRET')
  try {
    signingKey(secret)
  } catch (error) {
    command.error(`error: ${errorMessageOf(error)}.`)
  }
  return secret
}

const withGuide = ({ guide, ...grade }: Grade) => ({ ...grade, guide: `${GUIDE}#${guide}` })

function lineOf(io: CliIo, { name, passed, reason, guide }: Grade): string {
  if (passed) return `${new Painted(io, 'good', 'pass')}  ${name}: ${printable(reason)}`
  return `${new Painted(io, 'bad', 'miss')}  ${name}: ${printable(reason)} (${GUIDE}#${guide})`
}
