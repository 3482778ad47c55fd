import type { Command } from 'commander'
import { newSigningSecret, signingKey } from '../domain/webhooks/secrets/sign.ts'
import { errorMessageOf } from '../telemetry/error-message.ts'
import { absoluteUrl, type CliIo } from './io.ts'
import { addSecretOption, readSecret } from './secret-option.ts'

/** What commands share that send to a receiver by themselves. */
export const parseReceiver = absoluteUrl('http://127.0.0.1:4000/webhooks')

/** Adds the option `--secret-file`. */
export function addSigningSecret(command: Command): void {
  addSecretOption(command, {
    name: 'secret',
    env: 'WEBHOOK_SECRET',
    description: 'signs what is sent, made up and shown when left out',
  })
}

/** `shown` is what a person is told of it: the secret itself when it was made up, nothing of one that was given. */
export type SigningSecret = { secret: string; shown: string | null }

/** The secret that was given, or a new one. Ends the command when it is none. */
export async function readSigningSecret(command: Command, io: CliIo): Promise<SigningSecret> {
  const given = await readSecret(command, io, 'secret')
  const secret = given ?? newSigningSecret()
  try {
    signingKey(secret)
  } catch (error) {
    command.error(`error: ${errorMessageOf(error)}.`)
  }
  return { secret, shown: given === undefined ? secret : null }
}
