import { type Html, html } from '../html.ts'

/** Where the script of `passkeyForm` is served. */
export const PASSKEY_SCRIPT = '/login/passkey.js'

type PasskeyForm = {
  action: `/${string}`
  hidden: readonly Html[]
  label: string
  /** What the browser asks the passkey; without it there can be none here, and no form is shown. */
  request: object | undefined
}

/** A form that only a script can fill in, so it is hidden until that has found out that the browser can. */
export const passkeyForm = ({ action, hidden, label, request }: PasskeyForm): Html | undefined =>
  request &&
  html`<form method="post" action="${action}" data-passkey="${JSON.stringify(request)}" hidden>${hidden}
<input type="hidden" name="assertion">
<p class="choices"><button>${label}</button></p>
<p class="alert" role="alert" hidden>This did not work. Try again, or use another way.</p>
</form>`

/** Asks the browser for a passkey when the form is sent, and sends its answer along. */
export const passkeyScript = `const form = document.querySelector('form[data-passkey]')
const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

async function ask() {
  const { challenge, allowCredentials, ...options } = JSON.parse(form.dataset.passkey)
  const allowed = allowCredentials.map((one) => ({ ...one, id: bytes(one.id) }))
  const publicKey = { ...options, challenge: bytes(challenge), allowCredentials: allowed }
  const { id, rawId, type, response } = await navigator.credentials.get({ publicKey })
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return {
    id,
    rawId: text(rawId),
    type,
    response: {
      clientDataJSON: text(clientDataJSON),
      authenticatorData: text(authenticatorData),
      signature: text(signature),
      ...(userHandle && { userHandle: text(userHandle) }),
    },
  }
}

if (window.PublicKeyCredential) {
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const alert = form.querySelector('[role=alert]')
    alert.hidden = true
    try {
      form.elements.assertion.value = JSON.stringify(await ask())
      form.submit()
    } catch {
      alert.hidden = false
    }
  })
}
`
