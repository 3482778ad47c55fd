import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { createApplication } from '../domain/applications.ts'
import type { Scope } from '../domain/scopes.ts'
import { answers, asOperator, collect, type Door, parseScopes, table } from './door.ts'

type Options = {
  name: string
  public?: boolean
  jwks?: unknown
  dpop?: boolean
  redirectUri?: string[]
  scopes?: Scope[]
  website?: string
}

export function addClientCommands(program: Command, door: Door): void {
  const client = program.command('client').description('applications that call the API')
  const create = client
    .command('create')
    .description('register an application; its secret is shown this once')
    .requiredOption('--name <name>', 'people see it when they are asked for consent')
    .option('--public', 'it runs where it can keep no secret: in a browser, on a desktop, on a phone')
    .option('--jwks <file>', 'its public keys (RFC 7517): it signs (private_key_jwt) and gets no secret', readJson)
    .option('--dpop', 'its tokens are bound to a key that it proves to hold at each use (RFC 9449)')
    .option('--redirect-uri <uri>', 'where people come back to; may be given more than once', collect)
    .option('--scopes <scopes>', 'separated by commas; all when left out', parseScopes)
    .option('--website <url>')
  answers(create, door, {
    examples: [
      'client create --name "My bot"',
      'client create --name "My site" --redirect-uri https://site.example/callback --scopes user:read,chat:read',
      'client create --name "My bank" --jwks public-keys.json',
      'client create --name "My desktop application" --public --redirect-uri http://127.0.0.1/callback',
    ],
    work: async () => {
      const {
        name,
        public: isPublic = false,
        jwks,
        dpop = false,
        redirectUri,
        scopes,
        website,
      } = create.opts<Options>()
      const registered = { redirect_uris: redirectUri, scopes, website_url: website, jwks, dpop_bound: dpop }
      const application = { name, confidential: !isPublic, ...registered }
      const { id, ...made } = await door.withContext((ctx) => createApplication(asOperator(ctx), application))
      const data = { client_id: id, ...made }
      return { data, text: table({ ...data, jwks: made.jwks && JSON.stringify(made.jwks) }) }
    },
  })
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new InvalidArgumentError('It must be the path of a file of JSON.')
  }
}
