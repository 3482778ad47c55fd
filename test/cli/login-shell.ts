import { join } from 'node:path'
import { createDeviceApp } from '../oauth/device/support.ts'
import { temporaryFolder } from '../support/folder.ts'
import { createConsole } from './console.ts'

/** The service, and the command line of somebody who has that alone: no database, and a folder in which logins are kept. */
export async function createLoginShell() {
  const app = await createDeviceApp()
  const home = temporaryFolder()
  const folder = join(home.path, 'config', 'developer-api')
  const shell = createConsole(undefined, folder)

  /** Runs `login` and answers the question as somebody with a browser does. */
  async function logInBy(decision: 'allow' | 'deny', words: readonly string[] = []) {
    const browser = await app.loggedIn()
    return shell.run(['login', '--client-id', app.native.id, '--url', app.base, ...words], {
      onProgress: (text) => {
        const [, user_code = ''] = /enter the code (\S+)/.exec(text) ?? []
        if (user_code !== '') void app.answer(browser, { device_code: '', user_code }, decision)
      },
    })
  }

  return {
    app,
    home: home.path,
    folder,
    shell,
    logInBy,
    async [Symbol.asyncDispose]() {
      home[Symbol.dispose]()
      await app[Symbol.asyncDispose]()
    },
  }
}
