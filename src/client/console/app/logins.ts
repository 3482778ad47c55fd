const CHANNEL = 'logins'

/** Tells other windows of the console that somebody has logged in. */
export function tellOfLogin(): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage('login')
  channel.close()
}

/** Calls back when another window tells so; until the returned function is called. */
export function hearOfLogins(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = listener
  return () => channel.close()
}
