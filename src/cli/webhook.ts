import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { diagnose } from '../domain/webhooks/secrets/diagnose.ts'
import { printable } from '../telemetry/printable.ts'
import { addAction, type CliIo, demoLines, parseCount } from './io.ts'
import { addSecretOption, isArgument, readSecret, shown } from './secret-option.ts'

type Options = { id: string; timestamp: string; signature: string; body: string; at?: number }

export function addWebhookCommands(webhook: Command, io: CliIo): void {
  const verify = webhook
    .command('verify')
    .description('verify a delivery, and say which mistake was made')
    .requiredOption('--id <id>', 'the header webhook-id')
    .requiredOption('--timestamp <seconds>', 'the header webhook-timestamp')
    .requiredOption('--signature <signature>', 'the header webhook-signature')
    .option('--body <file>', 'the body as it was received; "-" reads standard input', '-')
    .option('--at <seconds>', 'the time to judge by, in seconds since 1970; now when left out', parseCount)
  addSecretOption(verify, {
    name: 'secret',
    env: 'WEBHOOK_SECRET',
    description: 'the signing secret of the subscription, whsec_…',
  })
  addAction(verify, io, {
    examples: [
      ...demoLines.receiver,
      'events trigger chat.message.sent --forward-to http://127.0.0.1:4000/webhooks',
      '$ header() { sed -n "s/^$1: //p" receiver.log | tail -n 1; }',
      `$ tail -n 1 receiver.log | tr -d '\\n' | npx developer-api webhook verify --id "$(header webhook-id)" --timestamp "$(header webhook-timestamp)" --signature "$(header webhook-signature)"`,
      'webhook verify --secret-file secret.txt --id evt_… --timestamp 1767323045 --signature v1,… --body body.json',
    ],
    work: async () => {
      const { id, timestamp, signature, body, at = Date.now() / 1000 } = verify.opts<Options>()
      const secret = await secretOf(verify, io)
      const bytes = body === '-' ? await io.readInput() : readFileSync(body)
      const data = diagnose(secret, { id, timestamp, signature }, bytes, at)
      return { data, text: printable(data.reason), failed: !data.valid }
    },
  })
}

/** Its receiver's own secret may still be an argument, as in scripts that were written before; the person is told. */
async function secretOf(verify: Command, io: CliIo): Promise<string> {
  const { secret: argument, secretFile, body } = verify.opts<{ secret?: string; secretFile?: string; body: string }>()
  if (argument !== undefined && isArgument(verify, 'secret')) {
    io.printError(shown('secret'))
    return argument
  }
  if (secretFile === '-' && body === '-') verify.error('error: standard input is the body: name a file of one of them')
  const secret = await readSecret(verify, io, 'secret')
  return secret ?? verify.error('error: the signing secret is missing: use --secret-file, or WEBHOOK_SECRET')
}
