type StreamEvent = { id: string | undefined; event: string; data: unknown }

/** Reads the events of a subscription, as a browser's EventSource does; pings and the greeting are left out. */
export async function openStream(url: string, headers: Record<string, string>) {
  const abort = new AbortController()
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: abort.signal })
  const events = eventsOf(response)
  return {
    response,
    async next(): Promise<StreamEvent> {
      const { value, done } = await events.next()
      if (done) throw new Error('The stream has ended')
      return value
    },
    /** Resolves when the server ends the stream. */
    async ended(): Promise<void> {
      for (let step = await events.next(); !step.done; step = await events.next());
    },
    [Symbol.dispose]: () => abort.abort(),
  }
}

async function* eventsOf({ body }: Response): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    yield* blocks.map(parse).filter(({ event }) => event === 'message' || event === 'serialized-error')
  }
}

function parse(block: string): StreamEvent {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
  return { id: field('id'), event: field('event') ?? 'message', data: JSON.parse(field('data') || 'null') }
}
