import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import * as client from 'openid-client'
import { Strategy } from 'openid-client/passport'
import passport from 'passport'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPeopleApp, type PeopleApp } from '../../support/people.ts'
import { evaluateGuide } from './guide-settings.ts'

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers
type Done = (error: unknown, user?: object | false) => void

let app: PeopleApp
let site: Awaited<ReturnType<typeof openSite>>
beforeAll(async () => {
  app = await createPeopleApp()
  site = await openSite()
})
afterAll(async () => {
  site?.server.close()
  await app?.[Symbol.asyncDispose]()
})

/** A web site of somebody else's, with the strategy as the guide has it; it has one visitor, whose session is an object. */
async function openSite() {
  const session = {}
  const website = express()
  const server = website.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const callbackURL = `${base}/callback`
  const { id: clientId, secret: clientSecret } = await app.newClient({ redirectUris: [callbackURL] })
  const discovery = (url: URL, id: string, secret: string) =>
    client.discovery(url, id, secret, undefined, { execute: [client.allowInsecureRequests] })
  const verify = (tokens: Tokens, done: Done) => done(null, { ...tokens.claims(), token: tokens.access_token })
  const names = { Strategy, client: { discovery }, clientId, clientSecret, callbackURL, verify }
  passport.use('us', (await evaluateGuide('Passport', app.base, names)) as passport.Strategy)

  website.use((request, _response, next) => {
    Object.assign(request, { session })
    next()
  })
  website.get('/login', passport.authenticate('us', { session: false }))
  website.get('/callback', passport.authenticate('us', { session: false }), (request, response) => {
    response.json(request.user)
  })
  const refuse: express.ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(502).json({ error: String(error.error ?? error.code ?? error.message) })
  }
  website.use(refuse)
  return { server, base }
}

async function visit(decision: 'allow' | 'deny') {
  const browser = await app.loggedIn()
  const asked = await fetch(`${site.base}/login`, { redirect: 'manual' })
  const consent = await browser.get(asked.headers.get('location') ?? '')
  const { location } = await browser.submit(consent, '/oauth/authorize', { decision })
  return fetch(location ?? '', { redirect: 'manual' })
}

test('Passport: whoever denies it is not logged in', async () => {
  const response = await visit('deny')
  expect([response.status, await response.text()]).toEqual([401, 'Unauthorized'])
})

test('Passport: a visitor logs in with us by what the guide says, and the token is theirs', async () => {
  const response = await visit('allow')
  const user = (await response.json()) as { sub: string; token: string; iss: string }
  expect(user).toMatchObject({ sub: app.grace.id, iss: app.base })
  const info = await app.request('GET /oauth/userinfo', { token: user.token })
  expect(info.body).toMatchObject({ sub: app.grace.id, preferred_username: 'grace', email_verified: false })
})
