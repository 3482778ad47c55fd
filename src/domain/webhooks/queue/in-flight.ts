/** What can end the attempts of a subscription. */
type Holder = { endAttemptsOf: (subscriptionId: string) => void }

// The sockets of a process, whoever opened them: a fact of the process, like its descriptors. A door of the service
// deletes a subscription, another one of the same process sends to it.
const holders = new Set<Holder>()

/** Makes a holder's attempts known to this process until the returned function is called. */
export function registerAttempts(holder: Holder): () => void {
  holders.add(holder)
  return () => holders.delete(holder)
}

/** Ends every attempt of this process that is on its way to the receiver of a subscription, and keeps others from beginning. */
export function endAttemptsOf(subscriptionId: string): void {
  for (const holder of holders) holder.endAttemptsOf(subscriptionId)
}
