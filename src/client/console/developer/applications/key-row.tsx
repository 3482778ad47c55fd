import { Stack } from '@mantine/core'
import { useTRPC } from '../../app/api.ts'
import { Status, type Tone } from '../../components/feedback/status.tsx'
import { useAction } from '../../components/forms/action.ts'
import { ScopeList } from '../../components/forms/scopes-input.tsx'
import { Instant } from '../../components/instant.tsx'
import { KeyButtons, KeyDates, KeyTitle } from '../../components/key-parts.tsx'
import { isolated } from '../../components/name.tsx'
import type { ApiKey } from './keys.tsx'

type KeyState = { tone: Tone; word: string; isLiving: boolean }

function stateOf({ revoked_at, expires_at, replaced_by }: ApiKey, nowMs: number): KeyState {
  if (revoked_at !== null) return { tone: 'quiet', word: 'Revoked', isLiving: false }
  if (expires_at !== null && Date.parse(expires_at) <= nowMs) return { tone: 'quiet', word: 'Expired', isLiving: false }
  if (replaced_by !== null) return { tone: 'warn', word: 'Rolled', isLiving: true }
  return { tone: 'good', word: 'Active', isLiving: true }
}

type KeyRowProps = { apiKey: ApiKey; onRolled: (title: string, value: string, hint: string) => void }

export function KeyRow({ apiKey, onRolled }: KeyRowProps) {
  const { name, first8, last4, scopes, created_at, expires_at, last_used_at, revoked_at } = apiKey
  const { tone, word, isLiving } = stateOf(apiKey, Date.now())
  return (
    <li className="row">
      <Stack gap={4} className="row-main">
        <KeyTitle name={name} shown={`${first8}…${last4}`}>
          <Status tone={tone}>{word}</Status>
        </KeyTitle>
        <KeyDates lastUsedAt={last_used_at}>
          · created <Instant at={created_at} />
          {revoked_at === null && expires_at !== null && (
            <>
              {' '}
              · expires <Instant at={expires_at} isAbsolute />
            </>
          )}
        </KeyDates>
        <ScopeList scopes={scopes} />
      </Stack>
      {isLiving && <KeyActions apiKey={apiKey} onRolled={onRolled} />}
    </li>
  )
}

function KeyActions({ apiKey: { id, name, replaced_by }, onRolled }: KeyRowProps) {
  const trpc = useTRPC()
  const refresh = trpc.applications.keys.pathKey()
  const roll = useAction(trpc.applications.keys.roll.mutationOptions(), { failed: 'The key was not rolled', refresh })
  const revoke = useAction(trpc.applications.keys.revoke.mutationOptions(), {
    done: `${isolated(name)} does not work any more.`,
    failed: 'The key was not revoked',
    refresh,
  })
  const rollKey = async () => {
    const body = 'You get a new key with the same name and scopes. The old one stops after 24 hours.'
    const rolled = await roll.run({ id }, { title: `Roll ${isolated(name)}?`, body, action: 'Roll key' })
    if (rolled) onRolled('New API key', rolled.output.key, 'The key before it works for 24 hours.')
  }
  const body = 'Whatever uses this key can no longer call the API, from this moment.'
  const question = { title: `Revoke ${isolated(name)}?`, body, action: 'Revoke key' }
  return (
    <KeyButtons
      roll={replaced_by === null ? { isPending: roll.isPending, ask: rollKey } : undefined}
      revoke={{ isPending: revoke.isPending, ask: () => revoke.run({ id }, question) }}
    />
  )
}
