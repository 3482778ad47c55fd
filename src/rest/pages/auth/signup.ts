import type { Request, Response, Router } from 'express'
import { signUp } from '../../../domain/accounts/accounts.ts'
import { type Entry, enterAsNewcomer } from '../../../domain/accounts/enter.ts'
import type { Context } from '../../../domain/core/context.ts'
import { transact } from '../../../domain/core/transaction.ts'
import { PASSWORD_LENGTH_MIN } from '../../../shared/limits.ts'
import { html } from '../html.ts'
import { entryPages, type ShownForm, showEntryPage } from './entry-form.ts'
import { nextOf } from './form-fields.ts'
import { type CallerOf, type PageContext, pageContext } from './page-context.ts'
import { sentenceOf } from './problem-sentence.ts'

const fields = ['username', 'email', 'password'] as const
type Field = (typeof fields)[number]

/** Making an account, where strangers may. */
export function signUpPages(context: Context, callerOf: CallerOf): Router {
  const router = entryPages(context, callerOf, { fields, enter, show: showSignUp })
  router.get('/', (request, response) =>
    showSignUp(pageContext(context, callerOf, request), request, response, { next: nextOf(request) }),
  )
  return router
}

async function enter(ctx: PageContext, newcomer: Record<Field, string>): Promise<Entry> {
  const { id } = await signUp(ctx, newcomer)
  return { session: await transact(ctx, (tx) => enterAsNewcomer(tx, id)) }
}

async function showSignUp(
  ctx: PageContext,
  request: Request,
  response: Response,
  shown: ShownForm<Field>,
): Promise<void> {
  const { next, values, problem } = shown
  const alert = problem && html`<p class="alert" role="alert">${sentenceOf(problem)}</p>`
  await showEntryPage(ctx, request, response, {
    title: 'Sign up',
    next,
    problem,
    form: (hidden) => html`${alert}
<form method="post" action="/signup">${hidden}
<label>Username <span class="quiet">3 to 25 of a–z, 0–9 and _; also the name of your channel</span>
<input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${values?.username ?? ''}"></label>
<label>Email <input name="email" type="email" autocomplete="email" required value="${values?.email ?? ''}"></label>
<label>Password <span class="quiet">at least ${String(PASSWORD_LENGTH_MIN)} characters</span>
<input name="password" type="password" autocomplete="new-password" required></label>
<p class="choices"><button>Sign up</button></p>
</form>
<p>You have an account? <a href="/login?next=${encodeURIComponent(next)}">Log in</a></p>`,
  })
}
