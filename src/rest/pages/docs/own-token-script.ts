/**
 * The button by which somebody who is logged in to the console tries operations with a token of their own, for an hour, by one of
 * their applications. Nothing is asked before it is pressed. It runs where `ui` is the viewer.
 */
export const ownTokenScript = `
const own = document.querySelector('#own-token')
const told = own.parentElement.querySelector('[role="status"]')
const say = (...parts) => told.replaceChildren(...parts)
const link = (href, textContent) => Object.assign(document.createElement('a'), { href, textContent })

async function call(name, body) {
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const [path, init] = body ? [name, json] : [name + '?input=' + encodeURIComponent('{"limit":100}'), {}]
  const response = await fetch('/trpc/' + path, init)
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer.result.data
  throw answer.error?.data?.problem ?? { message: 'The service did not answer as it should: try again.' }
}

const ways = {
  unauthorized: () => ['You are not logged in here. ', link('/login?next=' + encodeURIComponent(location.pathname), 'Log in'), ' and come back.'],
  step_up_required: () => ['Your last login was more than ten minutes ago: ', link('/console/developer/playground', 'confirm that it is you'), ' in the playground, and come back.'],
}
const refuse = ({ code, message }) => say(...(ways[code]?.() ?? [message]))

async function take({ id, name }) {
  say('Asking for a token …')
  const { access_token } = await call('applications.issueToken', { application_id: id, stands_for: 'me' })
  const schema = ui.specSelectors.specJson().getIn(['components', 'securitySchemes', 'oauth2']).toJS()
  ui.authActions.authorizeOauth2({ auth: { name: 'oauth2', schema }, token: { access_token, token_type: 'Bearer' } })
  say('Calls are made as you, by “' + name + '”, for an hour.')
}

function choose(applications) {
  const field = document.createElement('select')
  field.setAttribute('aria-label', 'Application')
  field.append(...applications.map(({ name }, index) => new Option(name, index)))
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Take it' })
  button.addEventListener('click', () => take(applications[field.value]).catch(refuse))
  say('By which application? ', field, ' ', button)
  field.focus()
}

own.addEventListener('click', async () => {
  say('Looking for your applications …')
  try {
    const { items } = await call('applications.list')
    if (items.length > 1) choose(items)
    else if (items.length === 1) await take(items[0])
    else say('You have no application yet: ', link('/console/developer/applications/new', 'make one'), '.')
  } catch (problem) {
    refuse(problem)
  }
})
`
