import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { createApplication } from '../domain/applications/applications.ts'
import { listApplicationAudit } from '../domain/applications/audit-log.ts'
import { listApplications } from '../domain/applications/list.ts'
import { giveApplication } from '../domain/applications/people/give.ts'
import type { Application } from '../domain/applications/resources.ts'
import type { AuditRecord } from '../domain/audit/resources.ts'
import type { Scope } from '../domain/core/scopes.ts'
import { usableGrants } from '../shared/grants.ts'
import { printable } from '../telemetry/printable.ts'
import { addAction, allOf, asOperator, type CliIo, demoLines, keepField, parseScopes, repeatable } from './io.ts'
import { list, table } from './output.ts'
import { addClientSuspension } from './suspension.ts'

type Options = {
  name: string
  public?: boolean
  jwks?: unknown
  dpop?: boolean
  device?: boolean
  redirectUri?: string[]
  scopes?: Scope[]
  website?: string
}

export function addClientCommands(client: Command, io: CliIo): void {
  addList(client.command('list').description('all applications, with their identifiers'), io)
  addCreate(client.command('create').description('register an application; its secret is shown this once'), io)
  addClientSuspension(client, io)
  addGive(client.command('give').description('give an application to an account, as back to whoever lost it'), io)
  addLog(client.command('log').description('who did what to an application and its credentials, newest first'), io)
}

function addList(command: Command, io: CliIo) {
  addAction(command, io, {
    examples: ['client list'],
    work: async () => {
      const items = await io.withContext((ctx) => allOf((page) => listApplications(asOperator(ctx), page)))
      return { data: { items }, text: list(items.map(rowOf), 'There are no applications.') }
    },
  })
}

const rowOf = ({ id, name, confidential, created_at }: Application) => ({
  client_id: id,
  name,
  kind: confidential ? 'confidential' : 'public',
  created_at,
})

function addLog(command: Command, io: CliIo) {
  command.argument('<client_id>', 'the identifier of the application, cli_…; "client list" shows it')
  addAction(command, io, {
    examples: [...demoLines.credentials, 'client log "$(demo client.client_id)"', 'client log cli_… --json'],
    work: async () => {
      const [application_id = ''] = command.args
      const { items } = await io.withContext((ctx) =>
        listApplicationAudit(asOperator(ctx), { application_id, limit: LOG_MAX }),
      )
      return { data: { items }, text: list(items.map(logRowOf), 'Nothing has happened yet.') }
    },
  })
}

function addGive(command: Command, io: CliIo) {
  command
    .argument('<client_id>', 'cli_…; "client list" shows it. Its keys, secrets and public keys end')
    .argument('<username>', 'who owns it from now on; who did until then belongs to it no longer')
  addAction(command, io, {
    examples: [
      keepField('CLIENT', 'npx developer-api client create --name "To be given" --json', 'client_id'),
      'client give "$CLIENT" outsider',
    ],
    work: async () => {
      const [id = '', username = ''] = command.args
      const data = await io.withContext((ctx) => giveApplication(ctx, { id, username }))
      const { owner } = data
      return {
        data,
        text: `${printable(owner)} owns the application now, and is told that its credentials have ended.`,
      }
    },
  })
}

const LOG_MAX = 100

const logRowOf = ({ at, action, actor_type, actor_id, target_id }: AuditRecord) => ({
  at,
  action,
  by: actor_id ?? actor_type,
  of: target_id,
})

function addCreate(create: Command, io: CliIo) {
  create
    .requiredOption('--name <name>', 'people see it when they are asked for consent')
    .option('--public', 'it runs where it can keep no secret: in a browser, on a desktop, on a phone')
    .option('--jwks <file>', 'its public keys (RFC 7517): it signs (private_key_jwt) and gets no secret', readJson)
    .option('--dpop', 'its tokens are bound to a key that it proves to hold at each use (RFC 9449)')
    .option('--device', 'people let it in by a code that it shows and they enter elsewhere (RFC 8628)')
    .option('--redirect-uri <uri>', 'where people come back to; may be given more than once', repeatable)
    .option('--scopes <scopes>', 'separated by commas; all when left out', parseScopes)
    .option('--website <url>')
  addAction(create, io, {
    examples: [
      'client create --name "My bot"',
      'client create --name "My site" --redirect-uri https://site.example/callback --scopes user:read,chat:read',
      'client create --name "My bank" --jwks public-keys.json',
      'client create --name "My desktop application" --public --redirect-uri http://127.0.0.1/callback',
      'client create --name "My television" --public --device --scopes user:read',
    ],
    work: async () => {
      const application = applicationOf(create.opts<Options>())
      const { id, ...made } = await io.withContext((ctx) => createApplication(asOperator(ctx), application))
      const data = { client_id: id, ...made }
      return { data, text: table({ ...data, jwks: made.jwks && JSON.stringify(made.jwks) }) }
    },
  })
}

function applicationOf({ name, public: isPublic = false, jwks, dpop = false, device, ...options }: Options) {
  const { redirectUri: redirect_uris = [], scopes, website: website_url } = options
  const confidential = !isPublic
  const use = { confidential, hasRedirectUris: redirect_uris.length > 0, devices: true }
  const grant_types = device ? usableGrants(use) : undefined
  return { name, confidential, redirect_uris, grant_types, scopes, website_url, jwks, dpop_bound: dpop }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new InvalidArgumentError('It must be the path of a file of JSON.')
  }
}
