import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram } from '../../sdk/support/bot.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { freePort } from '../../support/free-port.ts'
import { createPeopleApp, type PeopleApp } from '../../support/people.ts'
import { codeInGuide } from './guide-settings.ts'

/** A Python that has the library; Debian's is asked as well, which a version manager may hide. */
const python = ['python3', '/usr/bin/python3'].find(
  (name) => spawnSync(name, ['-c', 'import authlib, flask, requests']).status === 0,
)
if (!python)
  process.stderr.write(
    'No Python with Authlib and Flask here: it is not tried (apt install python3-authlib python3-flask)\n',
  )

/** A web site of somebody else's, with the library as the guide has it. */
const siteOf = (register: string) => `import sys
from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify, url_for

app = Flask(__name__)
app.secret_key = "a secret of the site"
app.config.from_prefixed_env()
oauth = OAuth(app)
${register}


@app.get("/login")
def login():
    return oauth.developer_api.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    try:
        token = oauth.developer_api.authorize_access_token()
    except OAuthError as error:
        return jsonify(error=error.error), 401
    return jsonify(claims=token["userinfo"], told=oauth.developer_api.userinfo(token=token))


app.run("127.0.0.1", int(sys.argv[1]))
`

describe.skipIf(!python)('Authlib', () => {
  const folder = temporaryFolder()
  let app: PeopleApp
  let site: ReturnType<typeof startProgram>
  let base: string
  beforeAll(async () => {
    app = await createPeopleApp()
    const port = await freePort()
    base = `http://127.0.0.1:${port}`
    const { id, secret = '' } = await app.newClient({ redirectUris: [`${base}/callback`] })
    writeFileSync(join(folder.path, 'site.py'), siteOf(codeInGuide('Authlib', app.base)))
    const settings = { FLASK_DEVELOPER_API_CLIENT_ID: id, FLASK_DEVELOPER_API_CLIENT_SECRET: secret }
    site = startProgram(python ?? '', ['site.py', String(port)], folder.path, settings)
    await site.until(/Running on/)
  })
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
    await app?.[Symbol.asyncDispose]()
  })

  async function visit(decision: 'allow' | 'deny') {
    const browser = await app.loggedIn()
    const asked = await fetch(`${base}/login`, { redirect: 'manual' })
    const cookie = asked.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const consent = await browser.get(asked.headers.get('location') ?? '')
    const { location } = await browser.submit(consent, '/oauth/authorize', { decision })
    return (await fetch(location ?? '', { headers: { cookie } })).json()
  }

  test('logs nobody in who denies it', async () => {
    expect(await visit('deny')).toEqual({ error: 'access_denied' })
  })

  test('logs a visitor in by what the guide says', async () => {
    const { claims, told } = (await visit('allow')) as { claims: object; told: object }
    expect(claims).toMatchObject({ sub: app.grace.id, iss: app.base })
    expect(told).toMatchObject({ sub: app.grace.id, preferred_username: 'grace', email: 'grace@example.com' })
  })
})
