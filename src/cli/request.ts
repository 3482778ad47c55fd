import type { Command } from 'commander'
import type { ExplainedRequest } from '../domain/requests/resources.ts'
import { addApiAccess, withApiAccess } from './api-access.ts'
import { addAction, type CliIo, demoLines } from './io.ts'
import { table } from './output.ts'
import { Painted } from './painted.ts'

export function addRequestCommands(request: Command, io: CliIo): void {
  const explain = request
    .command('explain')
    .description(
      'tell why a request of an application was answered as it was; kept are failed ones for 7 days, and a sample of the others. Not kept is what no application asked: with no or an unknown credential (401), or at a path that does not exist (404)',
    )
    .argument('<request_id>', 'the X-Request-Id of the answer')
  addApiAccess(
    explain,
    'an application by its API key or token, or as a user by theirs; without one as whoever has logged in ("login")',
  )
  addAction(explain, io, {
    examples: [
      ...demoLines.credentials,
      '$ curl -s "$(demo base_url)/v1/users/me" -H "Authorization: Bearer $(demo api_key)" -H "X-Request-Id: my-first-request"',
      '$ sleep 2',
      'request explain my-first-request',
      '$ DEVELOPER_API_KEY="$(demo api_key)" npx developer-api request explain my-first-request --url "$(demo base_url)"',
    ],
    work: async () => {
      const [request_id = ''] = explain.args
      const items = await withApiAccess(explain, io, (api) => api.explain({ request_id }))
      return { data: { items }, text: items.map((one) => table(rowsOf(one, io))).join('\n\n') }
    },
  })
}

/** Rows without a value are left out. */
function rowsOf(answer: ExplainedRequest, io: CliIo) {
  const { status, code, duration_ms, key, application_name, application_id, cause, remedy, ...facts } = answer
  const rows = {
    answer: new Painted(io, status < 400 ? 'good' : 'bad', code === null ? String(status) : `${status} ${code}`),
    message: facts.message,
    cause,
    remedy,
    operation: facts.operation,
    at: facts.at,
    took: `${duration_ms} ms`,
    application: `${application_name} (${application_id})`,
    credential: key ? `key "${key.name}", …${key.last4}${endOf(key)}` : facts.credential_id,
    ...(facts.address?.includes('/') ? { network: facts.address } : { address: facts.address }),
    sent: facts.sent,
  }
  return Object.fromEntries(Object.entries(rows).filter(([, value]) => value !== null))
}

function endOf({ expires_at, revoked_at }: NonNullable<ExplainedRequest['key']>): string {
  if (revoked_at !== null) return `, revoked ${revoked_at}`
  return expires_at === null ? '' : `, expires ${expires_at}`
}
