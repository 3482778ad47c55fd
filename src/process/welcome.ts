import type { Config } from '../config.ts'
import type { DemoCredentials } from '../domain/demo/credentials.ts'
import { logger } from '../telemetry/logger.ts'
import { demoFileIn } from './demo.ts'

/**
 * Tells that the service is ready: to a person who tries it out in full, to a log in one line. Where standard output is a log,
 * every line of it stays one of JSON, and the person is told on standard error.
 */
export function welcome({ publicUrl, dataDir }: Config, demo: DemoCredentials | undefined) {
  const isLog = !process.stdout.isTTY
  if (isLog || !demo) logger.info({ url: publicUrl, pid: process.pid }, 'The service is ready')
  if (demo) (isLog ? process.stderr : process.stdout).write(welcomeText(publicUrl, demoFileIn(dataDir), demo))
}

/** Where things are, who can log in, and three commands that work when pasted. */
function welcomeText(url: string, demoFile: string, { api_key, users }: DemoCredentials): string {
  const people = Object.values(users).map(({ username, password }) => `${username} / ${password}`)
  return `
developer-api is ready.

  API        ${url}
  Guides     ${url}/docs/guides/
  Reference  ${url}/docs
  Console    ${url}/console

  Log in as  ${people.join('\n             ')}
  All demo credentials are in ${demoFile}

Try it:

  curl ${url}/v1/livestreams/ -H "Authorization: Bearer ${api_key}"

  curl ${url}/v1/users/me -H "Authorization: Bearer ${users.viewer.access_token}"

  curl ${url}/v1/chat/messages -H "Authorization: Bearer ${users.viewer.access_token}" \\
    -d room_name=streamer -d content=Hello

`
}
