import { formPages } from '../../src/rest/pages/table.ts'
import { Browser, type Page } from '../support/browser.ts'
import type { Credentials } from './credentials.ts'
import type { Knowledge } from './knowledge.ts'
import { type Attempt, faultsOfAny, faultsOfError, type Judgement, type Reply, type Source } from './source.ts'
import { cookieOf } from './team.ts'
import { pick, type Random, type Schema, textOf, Values } from './values.ts'

/** What no page may show as it was typed. */
const MARKUP = '"><i id=fuzz>'
/** What a page reads of its address, always and now and then. */
const queries: Record<string, { often: readonly string[]; seldom?: readonly string[] }> = {
  '/oauth/authorize': {
    often: [
      'client_id',
      'redirect_uri',
      'response_type',
      'scope',
      'state',
      'code_challenge',
      'code_challenge_method',
      'nonce',
    ],
    seldom: ['prompt', 'max_age', 'login_hint', 'resource', 'request', 'response_mode', 'dpop_jkt'],
  },
  '/device': { often: ['user_code'] },
  '/reset': { often: ['token'] },
  '/verify': { often: ['token'] },
}
const SELDOM = 0.1
const text: Schema = { type: 'string', maxLength: 60 }

/** The pages that take forms, as a browser opens and fills them: by somebody who is logged in, or by a visitor. */
export class Pages implements Source {
  readonly size = formPages.length * 4
  readonly #base: string
  readonly #random: Random
  readonly #credentials: Credentials
  readonly #values: Values

  constructor(base: string, random: Random, knowledge: Knowledge, credentials: Credentials) {
    this.#base = base
    this.#random = random
    this.#credentials = credentials
    this.#values = new Values(
      random,
      (schema) => schema,
      (name) => knowledge.of(name, 'pages'),
    )
  }

  async attempt(): Promise<Attempt> {
    const path = pick(this.#random, formPages)
    const isVisitor = path === '/logout' || this.#random() < 0.3
    const browser = isVisitor ? new Browser(this.#base) : pick(this.#random, this.#credentials.team.people).browser
    const { often = [], seldom = [] } = queries[path] ?? {}
    const asked = [...often, ...[...seldom, 'next'].filter(() => this.#random() < SELDOM)]
    const target = `${path}?${this.#fields(asked, 0.04)}`
    if (this.#random() < 0.3) return this.#asking('GET', path, target, browser)
    const page = await browser.get(target)
    const form = page.forms.length > 0 ? pick(this.#random, page.forms) : { action: path, fields: {} }
    const fields = this.#fields(typedIn(page), 0.25)
    for (const [name, value] of Object.entries(form.fields)) if (this.#random() < 0.97) fields.set(name, value)
    return this.#asking('POST', path, form.action, browser, fields)
  }

  #asking(method: string, path: string, target: string, browser: Browser, fields?: URLSearchParams): Attempt {
    return {
      name: `${method} ${path}`,
      noun: 'pages',
      method,
      target,
      headers: {
        accept: 'text/html',
        cookie: cookieOf({ browser }),
        ...(fields && { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }),
      },
      body: fields?.toString(),
      judge: judgePage,
    }
  }

  #fields(names: readonly string[], wildness: number): URLSearchParams {
    const give = (name: string) => {
      if (this.#random() >= wildness) return this.#values.allowed(text, name)
      return this.#random() < 0.3 ? MARKUP : this.#values.wild()
    }
    const kept = names.filter(() => this.#random() < 0.98)
    return new URLSearchParams(kept.map((name): [string, string] => [name, textOf(give(name))]))
  }
}

/** What a person can type or press, by the names of the fields. */
const typedIn = ({ text: shown }: Page) => [
  ...new Set([...shown.matchAll(/<(?:input|button|select)[^>]* name="([^"]+)"/g)].map(([, name = '']) => name)),
]

function judgePage(reply: Reply): Judgement {
  const { status, headers, text: shown } = reply
  const faults = faultsOfAny(reply)
  if (shown.includes(MARKUP)) faults.push('shows markup that was typed')
  if (headers.get('content-type')?.startsWith('application/json'))
    return { faults: [...faults, ...faultsOfError(status, JSON.parse(shown).error)] }
  const location = headers.get('location')
  const code = location && URL.canParse(location) && new URL(location).searchParams.get('code')
  return code ? { faults, value: { code } } : { faults }
}
