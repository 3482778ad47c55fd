import type { Caller } from './context.ts'

/** Notes which application calls, once it has proved that it does; a login session belongs to none. */
export function noteClient({ trail }: Caller, clientId: string | null): void {
  if (trail && clientId !== null) trail.clientId = clientId
}
