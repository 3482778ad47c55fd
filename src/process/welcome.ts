import type { Config } from '../config.ts'
import type { DemoCredentials } from '../domain/demo/credentials.ts'
import { mailFolderIn } from '../mail/file-transport.ts'
import { logger } from '../telemetry/logger.ts'
import { demoFileIn } from './demo-file.ts'

/**
 * Says that the service is ready: in one log line, and with demo data also in a text for the person who tries it out. That
 * text goes to standard error where standard output is not a terminal, so that standard output holds only lines of JSON.
 */
export function welcome(
  { publicUrl, dataDir, smtpUrl }: Pick<Config, 'publicUrl' | 'dataDir' | 'smtpUrl'>,
  demo?: DemoCredentials,
) {
  const isTerminal = process.stdout.isTTY
  if (!isTerminal || !demo) logger.info({ url: publicUrl, pid: process.pid }, 'The service is ready')
  if (!demo) return
  const files = { demo: demoFileIn(dataDir), mails: smtpUrl === undefined ? mailFolderIn(dataDir) : undefined }
  const output = isTerminal ? process.stdout : process.stderr
  output.write(welcomeText(publicUrl, files, demo))
}

/** `mails`: the folder where they lie, when no server sends them. */
type WelcomeFiles = { demo: string; mails: string | undefined }

/** Addresses, logins, where mails lie, and three commands that can be pasted. */
function welcomeText(url: string, files: WelcomeFiles, { api_key, users }: DemoCredentials): string {
  const people = Object.values(users).map(({ username, password }) => `${username} / ${password}`)
  return `
developer-api is ready.

  API        ${url}
  Guides     ${url}/docs/guides/
  Reference  ${url}/docs
  Console    ${url}/console

  Log in as  ${people.join('\n             ')}
  All demo credentials are in ${files.demo}${files.mails === undefined ? '' : `\n  Mails are not sent, but written to ${files.mails}`}

Try it:

  curl ${url}/v1/livestreams/ -H "Authorization: Bearer ${api_key}"

  curl ${url}/v1/users/me -H "Authorization: Bearer ${users.viewer.access_token}"

  curl ${url}/v1/chat/messages -H "Authorization: Bearer ${users.viewer.access_token}" \\
    -d room_name=streamer -d content=Hello

`
}
