import type { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import type { Knowledge } from './knowledge.ts'
import { cookieOf, type Team } from './team.ts'
import { pick, type Random } from './values.ts'

/** `isGood`: it is one of the API, though maybe without the right that is asked for. */
export type Credential = { headers: Record<string, string>; isGood: boolean }

const bearer = (value: string, isGood = false): Credential => ({
  headers: { authorization: `Bearer ${value}` },
  isGood,
})

/** Where applications authenticate, and a bearer is none. */
const asksClients = /^\/(?:oauth\/(?!userinfo)|trpc\/oauth\.(?!userInfo))/

type Given = { demo: DemoCredentials; team: Team; cronSecret: string }

/** Credentials of every kind: those of a team, which is replaced now and then, of the demo data, and what is none. */
export class Credentials {
  readonly #random: Random
  readonly #demo: DemoCredentials
  readonly #knowledge: Knowledge
  readonly #cronSecret: string
  team: Team

  constructor(random: Random, knowledge: Knowledge, { demo, team, cronSecret }: Given) {
    this.#random = random
    this.#knowledge = knowledge
    this.#demo = demo
    this.#cronSecret = cronSecret
    this.team = team
  }

  /** For a call of the API: nine of ten are good. */
  ofApi(method: string, target: string): Credential {
    if (asksClients.test(target) && this.#random() < 0.8) return pick(this.#random, this.#clients())
    if (target.startsWith('/cron/') && this.#random() < 0.5) return bearer(this.#cronSecret)
    const heard = this.#knowledge.of('token')
    if (heard.length > 0 && this.#random() < 0.1) return bearer(String(pick(this.#random, heard)))
    const chance = this.#random()
    const [path = ''] = target.split('?', 1)
    if (chance < 0.05 && /^[\w/.-]+$/.test(path)) return this.#bound(method, path)
    return chance < 0.9 ? bearer(pick(this.#random, this.#tokens()), true) : this.#bad()
  }

  /** For a call at /trpc: most are by the session of somebody of the team. */
  ofProcedures(method: string, target: string): Credential {
    if (this.#random() >= 0.7) return this.ofApi(method, target)
    const cookie = cookieOf(pick(this.#random, this.team.people))
    const other = this.#random() < 0.05 ? this.#bad().headers : {}
    return { headers: { ...other, cookie }, isGood: true }
  }

  #tokens(): string[] {
    const { streamer, viewer, outsider } = this.#demo.users
    return [
      this.#demo.api_key,
      ...[streamer, viewer, outsider].map(({ access_token }) => access_token),
      ...this.team.tokens,
    ]
  }

  /** How an application says who it is: in the body, or by Basic. */
  #clients(): Credential[] {
    const { client_id, client_secret } = this.team.application
    const none = { headers: {}, isGood: true }
    return [
      none,
      none,
      none,
      { headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` }, isGood: true },
    ]
  }

  #bound(method: string, path: string): Credential {
    const { token, prove } = this.team.bound
    return { headers: { authorization: `DPoP ${token}`, dpop: prove(method, path) }, isGood: true }
  }

  #bad(): Credential {
    const { token, prove } = this.team.bound
    const { client_id, client_secret } = this.team.application
    const stolen = { authorization: `DPoP ${token}` }
    return pick<() => Credential>(this.#random, [
      () => ({ headers: {}, isGood: false }),
      () => bearer(pick(this.#random, ['', 'lsat_x', 'x'.repeat(300), this.#demo.api_key.slice(0, -1), 'a, Bearer b'])),
      () => bearer(pick(this.#random, this.team.others)),
      () => bearer(this.#demo.users.viewer.refresh_token),
      () => bearer(token),
      () => ({ headers: stolen, isGood: false }),
      () => ({ headers: { ...stolen, dpop: prove('PUT', '/elsewhere') }, isGood: false }),
      () => ({ headers: { ...stolen, dpop: 'a.b.c' }, isGood: false }),
      () => ({ headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` }, isGood: false }),
      () => ({ headers: { authorization: 'Basic !!!' }, isGood: false }),
      () => ({ headers: { cookie: 'sid=nobody' }, isGood: false }),
      () => ({
        headers: { cookie: cookieOf(pick(this.#random, this.team.people)), origin: 'https://elsewhere.example' },
        isGood: false,
      }),
    ])()
  }
}
