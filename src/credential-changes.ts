import type { Target } from './db/client.ts'
import { listen } from './db/listener.ts'
import type { Context } from './domain/context.ts'

/** The channel on which the database itself announces what makes a credential worth less (see the migrations). */
const CHANNEL = 'credential_changes'

/** Lets the context remember credentials for as long as it hears of their changes. `target`: a direct connection. */
export function followCredentialChanges({ credentials, log }: Context, target: Target): AsyncDisposable {
  return listen(
    target,
    { [CHANNEL]: credentials.forget },
    {
      onUp: () => credentials.trust(),
      onDown: (error) => {
        credentials.distrust()
        log.warn({ err: error }, 'Credentials are looked up on every request for now')
      },
    },
  )
}
