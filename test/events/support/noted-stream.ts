import type { Caller } from '../../../src/domain/core/caller.ts'
import type { OpenStream } from '../../../src/domain/core/live.ts'
import type { Scope } from '../../../src/domain/core/scopes.ts'
import type { CredentialWatch } from '../../../src/domain/events/streams/credential-watch.ts'

/** A stream that only notes why it was ended. */
export function streamOf(watch: CredentialWatch, by: Caller, scopes: readonly Scope[] = []) {
  const stream = {
    endedFor: undefined as string | undefined,
    caller: by,
    scopes,
    beat() {},
    end({ problem }) {
      stream.endedFor = problem.code
      leave()
    },
  } satisfies OpenStream & { endedFor: string | undefined }
  const leave = watch.add(stream)
  return stream
}
