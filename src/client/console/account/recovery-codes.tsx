import { Button } from '@mantine/core'
import { useTRPC } from '../app/api.ts'
import type { Outputs } from '../app/session.tsx'
import { useAction } from '../components/forms/action.ts'
import { Instant } from '../components/instant.tsx'
import { Section } from '../components/section.tsx'
import type { ShowCodes } from './security.tsx'

type Codes = NonNullable<Outputs['account']['factors']['list']['recovery_codes']>

export function RecoveryCodesSection({ codes, onCodes }: { codes: Codes; onCodes: ShowCodes }) {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.account.factors.renewRecoveryCodes.mutationOptions(), {
    failed: 'No new recovery codes were made',
    refresh: trpc.account.factors.pathKey(),
  })
  const renew = async () => {
    const made = await run({}, question)
    if (made) onCodes(made.output.recovery_codes)
  }
  const { left, created_at, last_used_at } = codes
  return (
    <Section
      title="Recovery codes"
      intro={
        <>
          {left} of 10 are left, made <Instant at={created_at} />
          {last_used_at && (
            <>
              , last used <Instant at={last_used_at} />
            </>
          )}
          . Each opens your account once when you have lost a passkey or your authenticator.
        </>
      }
      actions={
        <Button variant="default" size="xs" loading={isPending} onClick={() => void renew()}>
          Make new codes
        </Button>
      }
    >
      {null}
    </Section>
  )
}

const question = {
  title: 'Make new recovery codes?',
  body: 'The codes that you have now work no longer.',
  action: 'Make new codes',
}
