import type { Outputs } from '../../app/session.tsx'
import { explanationAddress } from '../../developer/requests/request-filters.ts'
import { groups } from '../places.ts'

type Hit = Outputs['search']['find'][number]

/** Where something is. `kind` says in a word what it is; outside of the console are the guides. */
export type Finding = {
  id: string
  kind: string
  title: string
  detail: string | null
  to: string
  isOutside?: boolean
}

const PAGES_MAX = 6

/** The pages whose names have all the words. */
export function pagesWith(text: string): Finding[] {
  const words = text.toLowerCase().split(/\s+/)
  return groups
    .flatMap(({ title, places }) => places.map((place) => ({ ...place, group: title })))
    .filter(({ label, group }) => words.every((word) => `${group} ${label}`.toLowerCase().includes(word)))
    .slice(0, PAGES_MAX)
    .map(({ label, to, group }) => ({ id: `page ${to}`, kind: 'Page', title: label, detail: group, to }))
}

type GuidePart = { title: string; about: string; path: string }

/** The parts of the guides whose headings have all the words, as their own search finds them. */
export async function guidesWith(text: string): Promise<Finding[]> {
  const response = await fetch(`/docs/guides/search.json?q=${encodeURIComponent(text)}`)
  if (!response.ok) throw new Error(`The search of the guides was answered with ${response.status}`)
  const parts = (await response.json()) as GuidePart[]
  return parts.map(({ title, about: detail, path: to }) => {
    return { id: `guide ${to}`, kind: 'Guide', title, detail, to, isOutside: true }
  })
}

const kinds = {
  application: { word: 'Application', addressOf: ({ id }: Hit) => `/developer/applications/${id}` },
  subscription: { word: 'Webhook', addressOf: ({ id }: Hit) => `/developer/webhooks/${id}` },
  delivery: { word: 'Delivery', addressOf: ({ id }: Hit) => `/developer/deliveries/${id}` },
  key: { word: 'API key', addressOf: ({ application_id: of }: Hit) => `/developer/applications/${of}/keys` },
  message: { word: 'Message', addressOf: () => '/studio/chat' },
  request: { word: 'Request', addressOf: ({ id }: Hit) => explanationAddress(id) },
} as const satisfies Record<Hit['kind'], { word: string; addressOf: (hit: Hit) => string }>

export function findingOf(hit: Hit): Finding {
  const { word, addressOf } = kinds[hit.kind]
  const { id, title, detail } = hit
  return { id: `${hit.kind} ${id}`, kind: word, title, detail, to: addressOf(hit) }
}
