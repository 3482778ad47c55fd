import type { Random } from './values.ts'

const KEPT_MAX = 200
/** How often an identifier is of what the field is about, and not of anything else. */
const FITTING = 0.8
const IDENTIFIER = /^([a-z]+)_[0-9a-hjkmnp-tv-z]{26}$/

/** The fields that ask for an identifier, by what it begins with. */
const askedFor: Record<string, readonly string[]> = {
  usr: ['user_id', 'broadcaster_user_id', 'channel'],
  cli: ['application_id'],
  sub: ['subscription'],
  evt: ['event'],
  msg: ['messageId', 'message'],
  sec: ['secret_id'],
}
/** What the `id` of a call is, by what the call is about. */
const kindOf: Record<string, string> = {
  applications: 'cli',
  'applications.secrets': 'cli',
  'applications.keys': 'key',
  people: 'inv',
  overlays: 'ovl',
  webhooks: 'sub',
  'account.webhooks': 'sub',
  events: 'sub',
  deliveries: 'dlv',
  categories: 'cat',
  livestreams: 'str',
  'account.sessions': 'ses',
  'account.passkeys': 'psk',
}
/** Fields of answers whose values another field asks for. */
const answered: Record<string, readonly string[]> = {
  next: ['cursor', 'after'],
  request_id: ['request_id'],
  access_token: ['token'],
  refresh_token: ['token', 'refresh_token'],
  device_code: ['device_code'],
  user_code: ['user_code'],
  slug: ['category', 'slug'],
  code: ['code'],
}

/** What the service has told of itself, by the name of the field that asks for it. */
export class Knowledge {
  readonly #random: Random
  #lists = new Map<string, unknown[]>()
  #lasting = this.#lists

  constructor(random: Random) {
    this.#random = random
  }

  keep(name: string, ...values: unknown[]): void {
    const list = [...(this.#lists.get(name) ?? []), ...values]
    this.#lists.set(name, list.slice(-KEPT_MAX))
  }

  /** Takes what is known by now for what always is. */
  settle(): void {
    this.#lasting = new Map(this.#lists)
  }

  /** Forgets what was heard since. */
  forget(): void {
    this.#lists = new Map(this.#lasting)
  }

  /** What is known of a name, where it is asked for by calls about a noun; empty where nothing is. */
  of(name: string, noun = ''): readonly unknown[] {
    const kind = name === 'id' ? kindOf[noun] : noun
    const own = this.#random() < FITTING ? this.#lists.get(`${kind} ${name}`) : undefined
    return own ?? this.#lists.get(name) ?? []
  }

  /** Keeps what an answer names. */
  learn(answer: unknown): void {
    if (Array.isArray(answer)) for (const one of answer.slice(0, 5)) this.learn(one)
    else if (typeof answer === 'object' && answer !== null)
      for (const [name, value] of Object.entries(answer)) this.#learnField(name, value)
  }

  #learnField(name: string, value: unknown) {
    if (typeof value !== 'string') return this.learn(value)
    for (const asking of answered[name] ?? []) this.keep(asking, value)
    const [, kind = ''] = IDENTIFIER.exec(value) ?? []
    for (const asking of askedFor[kind] ?? []) this.keep(asking, value)
    if (kind === '') return
    this.keep('id', value)
    this.keep(`${kind} id`, value)
  }
}
