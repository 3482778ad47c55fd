/** In their sort order. */
export const demoCategories = [
  { slug: 'just-talking', label: 'Just talking', description: 'People, questions, answers', featured: true },
  { slug: 'software', label: 'Software', description: 'Programming in the open', featured: true },
  { slug: 'music', label: 'Music', description: 'Played, practised and produced', featured: true },
  { slug: 'chess', label: 'Chess', description: 'Blitz, endgames, famous games', featured: false },
  { slug: 'cooking', label: 'Cooking', description: 'From the pan to the plate', featured: false },
  { slug: 'drawing', label: 'Drawing', description: 'Ink, pixels and paint', featured: false },
  { slug: 'outdoors', label: 'Outdoors', description: null, featured: false },
  { slug: 'retro-games', label: 'Retro games', description: 'Consoles that have a power lamp', featured: false },
]

const adjectives = ['amber', 'bright', 'calm', 'dusty', 'eager', 'frosty', 'gentle', 'hidden']
const nouns = ['badger', 'comet', 'dune', 'ember', 'falcon', 'grove', 'harbor', 'island']

/** 64 usernames. */
export const channelNames: readonly string[] = adjectives.flatMap((adjective) =>
  nouns.map((noun) => `${adjective}_${noun}`),
)

const habits = ['early in the morning', 'on weekends', 'whenever it rains', 'every other evening', 'at lunch']

/** Null for every eighth channel, as some people leave it empty. */
export function bioOf(username: string): string | null {
  const place = channelNames.indexOf(username)
  if (place % 8 === 7) return null
  const { label = '' } = demoCategories[place % demoCategories.length] ?? {}
  return `${label}, ${habits[place % habits.length]}.`
}

export const conversation = [
  ['streamer', 'Welcome! Today we write a bot that greets people.'],
  ['viewer', 'Hello from the other side of the internet 👋'],
  ['outsider', 'First time here. What are we building?'],
  ['streamer', 'A chat bot. It listens to webhooks and answers through the API.'],
  ['viewer', 'Does it get a message again when it does not answer in time?'],
  ['streamer', 'Yes, with the same webhook-id. So it remembers which ones it has seen.'],
  ['outsider', 'Nice. I will try that tonight.'],
  ['viewer', 'Good luck, and have fun!'],
] as const
