/** Whatever has attempts on their way and can end those of a subscription. */
type AttemptHolder = { endAttemptsOf: (subscriptionId: string) => void }

// Module state, because sockets belong to the process: one part of it deletes a subscription while another sends to it.
const holders = new Set<AttemptHolder>()

/** Lets `endAttemptsOf` reach the attempts of a holder, until the returned function is called. */
export function registerAttempts(holder: AttemptHolder): () => void {
  holders.add(holder)
  return () => holders.delete(holder)
}

/** Ends every attempt of this process for a subscription, and keeps what is claimed already from beginning. */
export function endAttemptsOf(subscriptionId: string): void {
  for (const holder of holders) holder.endAttemptsOf(subscriptionId)
}
