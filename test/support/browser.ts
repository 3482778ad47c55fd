type Form = { action: string; fields: Record<string, string>; buttons: string[] }
export type Page = { status: number; headers: Headers; text: string; location: URL | undefined; forms: Form[] }

/** What of a browser the pages need: cookies, redirects that the test follows itself, forms. */
export class Browser {
  readonly #base: string
  readonly cookies = new Map<string, string>()
  constructor(base: string) {
    this.#base = base
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.#send(path, { headers })
  }

  async post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> {
    const own = { 'sec-fetch-site': 'same-origin', origin: 'null', ...headers }
    return this.#send(path, { method: 'POST', body: new URLSearchParams(fields), headers: own })
  }

  /** Fills in the first form that leads to `action` and sends it. */
  async submit(page: Page, action: string, fields: Record<string, string> = {}): Promise<Page> {
    const form = page.forms.find((one) => one.action === action)
    if (!form) throw new Error(`No form leads to ${action}: ${page.status} ${page.text}`)
    return this.post(action, { ...form.fields, ...fields })
  }

  async #send(path: string, init: RequestInit): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { accept: 'text/html,*/*;q=0.8', ...(cookie && { cookie }), ...(init.headers as object) }
    const response = await fetch(new URL(path, this.#base), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const location = response.headers.get('location')
    const text = await response.text()
    const target = location === null ? undefined : new URL(location, this.#base)
    return { status: response.status, headers: response.headers, text, location: target, forms: formsOf(text) }
  }

  #keep(line: string) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/max-age=0/i.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

const formsOf = (page: string): Form[] =>
  [...page.matchAll(/<form method="post" action="([^"]+)">(.*?)<\/form>/gs)].map(([, action = '', markup = '']) => ({
    action,
    fields: Object.fromEntries(
      [...markup.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
        name,
        unescapeMarkup(value),
      ]),
    ),
    buttons: [...markup.matchAll(/<button[^>]*>([^<]*)/g)].map(([, label = '']) => label),
  }))

const unescapeMarkup = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
