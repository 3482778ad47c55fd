import { statement } from '../../src/db/statement.ts'
import { authenticateSession } from '../../src/domain/access/authenticate.ts'
import { findSession, revokeSession, SESSION_IS_ALIVE } from '../../src/domain/access/sessions.ts'
import { changeEmail, verifyAddress } from '../../src/domain/accounts/addresses.ts'
import { closeOwnAccount } from '../../src/domain/accounts/closing/close.ts'
import { requestReset, resetPassword } from '../../src/domain/accounts/forgotten-password.ts'
import { logIn } from '../../src/domain/accounts/login.ts'
import { changePassword } from '../../src/domain/accounts/new-password.ts'
import type { FactorsApp } from '../factors/people.ts'
import { PASSWORD } from '../support/log.ts'
import type { AccountStep } from './account-steps.ts'
import { type LinkMail, tokenMailed } from './token-mailed.ts'

type Link = { token: string; address: string; isAlive: boolean }
/** Whether a step should have been taken, and whether it was. */
type Judged = { should: boolean; was: boolean }

const confirmLongAgo = statement<[userId: string], never>(`
  update users set email_verified_at = created_at - interval '30 days' where id = $1`)
const living = statement<[userId: string], { count: number }>(`
  select count(*)::int as count from login_sessions s where s.user_id = $1 and ${SESSION_IS_ALIVE}`)

/** An account of which all kinds of things are done, and a model that says which of them may be. */
export class ModelledAccount {
  readonly #app: FactorsApp
  readonly #user: { id: string; username: string; email: string }
  readonly #caller: { address: string }
  #password = PASSWORD
  readonly #old: string[] = []
  #verified: string
  /** Whether the confirmed address gets a way back when it is replaced: it was confirmed long ago, or is back. */
  #isEstablished = true
  #isClosed = false
  readonly #resets: Link[] = []
  readonly #confirmations: Link[] = []
  /** Sent to confirmed addresses that were replaced, oldest first. */
  readonly #restores: Link[] = []
  readonly #sessions = new Map<string, boolean>()
  #made = 0

  private constructor(app: FactorsApp, user: { id: string; username: string; email: string }, caller: object) {
    this.#app = app
    this.#user = user
    this.#verified = user.email
    this.#caller = caller as { address: string }
  }

  static async create(app: FactorsApp): Promise<ModelledAccount> {
    const user = await app.person()
    await confirmLongAgo(app.context.db, user.id)
    const { caller } = await app.actingAs(user)
    const account = new ModelledAccount(app, user, caller)
    account.#sessions.set(caller.session, true)
    return account
  }

  get #ctx() {
    return { ...this.#app.context, caller: { ...this.#caller, session: undefined } as never }
  }

  /** Does a step, and moves the model on where it should have been taken. `pick` chooses among what there is. */
  async take(step: AccountStep, pick: number): Promise<Judged> {
    return this.#doing[step](pick)
  }

  /** Whether each session lives that should, none that should not, and there is no other. */
  async hasItsSessions(): Promise<boolean> {
    const states = await Promise.all(
      [...this.#sessions].map(
        async ([secret, isAlive]) => ((await findSession(this.#ctx, secret)) !== undefined) === isAlive,
      ),
    )
    const [found] = await living(this.#app.context.db, this.#user.id)
    return states.every(Boolean) && found?.count === [...this.#sessions.values()].filter(Boolean).length
  }

  readonly #doing: Record<AccountStep, (pick: number) => Promise<Judged>> = {
    'log in': () => this.#logIn(this.#user.username, this.#password, !this.#isClosed),
    'log in by address': () => this.#logIn(this.#verified, this.#password, !this.#isClosed),
    'log in with an old password': (pick) => this.#logIn(this.#user.username, at(this.#old, pick) ?? 'never it', false),
    'ask for a reset': () => this.#askForReset(),
    'use the newest reset link': () => this.#reset(this.#resets.at(-1)),
    'use the newest reset link twice at once': async () => {
      const link = this.#resets.at(-1)
      const should = link?.isAlive === true
      const [one, two] = [this.#next(), this.#next()]
      const tries = [one, two].map((password) => done(this.#withReset(link, password)))
      const taken = await Promise.all(tries)
      if (should) this.#passwordIs(taken[0] ? one : two)
      return { should, was: taken.filter(Boolean).length === 1 }
    },
    'use any reset link': (pick) => this.#reset(at(this.#resets, pick)),
    'change the password': () => this.#changePassword(this.#password),
    'change it with an old one': (pick) => this.#changePassword(at(this.#old, pick) ?? 'never it'),
    'change the address': () => this.#changeAddress(this.#password),
    'change it with an old password': (pick) => this.#changeAddress(at(this.#old, pick) ?? 'never it'),
    'use the newest link to confirm': () => this.#confirm(this.#confirmations.at(-1)),
    'use any link to confirm': (pick) => this.#confirm(at(this.#confirmations, pick)),
    'take the account back by the newest link': () => this.#takeBack(this.#restores.at(-1)),
    'take the account back by any link': (pick) => this.#takeBack(at(this.#restores, pick)),
    'revoke a session': async () => {
      const [secret] = [...this.#sessions].find(([, isAlive]) => isAlive) ?? []
      const was = await done(async () => {
        const acting = await this.#acting()
        await revokeSession(acting, { id: acting.principal.session?.id ?? '' })
      })
      if (secret !== undefined) this.#sessions.set(secret, false)
      return { should: secret !== undefined, was }
    },
    close: async () => {
      const should = this.#hasSession
      const was = await done(async () => void (await closeOwnAccount(await this.#acting(), this.#user)))
      if (should) {
        this.#isClosed = true
        this.#endSessions()
        this.#end(this.#resets, this.#confirmations, this.#restores)
      }
      return { should, was }
    },
  }

  get #hasSession(): boolean {
    return [...this.#sessions.values()].some(Boolean)
  }

  /** As the oldest of the sessions that should live. */
  async #acting() {
    const [session = ''] = [...this.#sessions].find(([, isAlive]) => isAlive) ?? []
    const principal = await authenticateSession(this.#ctx, session)
    return { ...this.#app.context, caller: { ...this.#caller, session } as never, principal }
  }

  async #logIn(username: string, password: string, should: boolean): Promise<Judged> {
    const was = await done(async () => {
      const entry = await logIn(this.#ctx, { username, password })
      if ('session' in entry) this.#sessions.set(entry.session, true)
    })
    return { should, was }
  }

  /** Says the same to everybody, so what it has led to is asked of the mail. */
  async #askForReset(): Promise<Judged> {
    const answered = requestReset(this.#ctx, this.#user.username)
    const token = await this.#mailed('reset', this.#isClosed ? answered : undefined)
    if (token !== undefined) this.#resets.push({ token, address: '', isAlive: true })
    return { should: !this.#isClosed, was: token !== undefined }
  }

  async #reset(link: Link | undefined): Promise<Judged> {
    const should = link?.isAlive === true
    const password = this.#next()
    const was = await done(this.#withReset(link, password))
    if (should) this.#passwordIs(password)
    return { should, was }
  }

  #withReset = (link: Link | undefined, password: string) => () =>
    resetPassword(this.#ctx, { token: link?.token ?? 'lslk_none', password, endsCredentials: false })

  async #changePassword(current: string): Promise<Judged> {
    const should = this.#hasSession && current === this.#password
    const next = this.#next()
    const was = await done(async () =>
      changePassword(await this.#acting(), { current_password: current, new_password: next }),
    )
    if (should) this.#passwordIs(next)
    return { should, was }
  }

  async #changeAddress(password: string): Promise<Judged> {
    const should = this.#hasSession && password === this.#password
    const email = `${this.#user.username}_${++this.#made}@example.com`
    const was = await done(async () => void (await changeEmail(await this.#acting(), { email, password })))
    if (!should) return { should, was }
    this.#end(this.#resets, this.#confirmations)
    const token = await this.#mailed('verify')
    if (token !== undefined) this.#confirmations.push({ token, address: email, isAlive: true })
    return { should, was: was && token !== undefined }
  }

  async #confirm(link: Link | undefined): Promise<Judged> {
    const should = link?.isAlive === true
    const was = await done(async () => void (await verifyAddress(this.#ctx, link?.token ?? 'lslk_none')))
    if (!should || !link) return { should, was }
    const replaced = { address: this.#verified, isEstablished: this.#isEstablished }
    this.#end(this.#confirmations, this.#resets)
    this.#verified = link.address
    this.#isEstablished = false
    if (!replaced.isEstablished) return { should, was }
    const token = await this.#mailed('restore')
    if (token !== undefined) this.#restores.push({ token, address: replaced.address, isAlive: true })
    return { should, was: was && token !== undefined }
  }

  /** What was sent to an address later than this link is as dead as the link itself; what was sent earlier lives on. */
  async #takeBack(link: Link | undefined): Promise<Judged> {
    const should = link?.isAlive === true
    const password = this.#next()
    const was = await done(this.#withReset(link, password))
    if (should && link) {
      this.#end(this.#restores.slice(this.#restores.indexOf(link)))
      this.#verified = link.address
      this.#isEstablished = true
      this.#passwordIs(password)
    }
    return { should, was }
  }

  #next = () => `${PASSWORD} ${++this.#made}`

  #passwordIs(password: string) {
    this.#old.push(this.#password)
    this.#password = password
    this.#end(this.#resets, this.#confirmations)
    this.#endSessions()
  }

  #endSessions() {
    for (const secret of this.#sessions.keys()) this.#sessions.set(secret, false)
  }

  #end(...lists: Link[][]) {
    for (const link of lists.flat()) link.isAlive = false
  }

  #mailed = (kind: LinkMail, answered?: Promise<void>) => tokenMailed(this.#app, this.#user, kind, answered)
}

const at = <Item>(items: readonly Item[], pick: number): Item | undefined => items[pick % Math.max(items.length, 1)]

async function done(work: () => Promise<void>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  )
}
