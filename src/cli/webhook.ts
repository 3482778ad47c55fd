import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { diagnose } from '../domain/webhooks/secrets/diagnose.ts'
import { addAction, type CliIo, parseCount } from './io.ts'

type Options = { secret: string; id: string; timestamp: string; signature: string; body: string; at?: number }

export function addWebhookCommands(program: Command, io: CliIo): void {
  const webhook = program.command('webhook').description('deliveries of webhooks, at the receiving end')
  const verify = webhook
    .command('verify')
    .description('verify a delivery, and say which mistake was made')
    .requiredOption('--secret <secret>', 'the signing secret of the subscription, whsec_…')
    .requiredOption('--id <id>', 'the header webhook-id')
    .requiredOption('--timestamp <seconds>', 'the header webhook-timestamp')
    .requiredOption('--signature <signature>', 'the header webhook-signature')
    .option('--body <file>', 'the body as it was received; "-" reads standard input', '-')
    .option('--at <seconds>', 'the time to judge by, in seconds since 1970; now when left out', parseCount)
  addAction(verify, io, {
    examples: ['webhook verify --secret whsec_… --id evt_… --timestamp 1767323045 --signature v1,… --body body.json'],
    work: async () => {
      const { secret, id, timestamp, signature, body, at = Date.now() / 1000 } = verify.opts<Options>()
      const bytes = body === '-' ? await io.readInput() : readFileSync(body)
      const data = diagnose(secret, { id, timestamp, signature }, bytes, at)
      return { data, text: data.reason, failed: !data.valid }
    },
  })
}
