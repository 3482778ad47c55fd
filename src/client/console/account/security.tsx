import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../app/api.ts'
import { Loaded } from '../components/feedback/loaded.tsx'
import { Page } from '../components/page.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { AuthenticatorSection } from './authenticator.tsx'
import { PasskeysSection } from './passkeys.tsx'
import { RecoveryCodesSection } from './recovery-codes.tsx'

/** Recovery codes that were just made, to be shown once. */
export type ShowCodes = (codes: string[] | null) => void

export function Security() {
  const trpc = useTRPC()
  const query = useQuery(trpc.account.factors.list.queryOptions({}))
  const [codes, setCodes] = useState<string[] | null>(null)
  const secret = codes === null ? undefined : { title: 'Your recovery codes', value: codes.join('\n'), hint }
  return (
    <Page
      title="Security"
      intro="What is asked for beside your password when you log in, and before anything that cannot be undone."
    >
      <Loaded query={query}>
        {({ totp, passkeys, recovery_codes }) => (
          <>
            <PasskeysSection passkeys={passkeys} onCodes={setCodes} />
            <AuthenticatorSection totp={totp} onCodes={setCodes} />
            {recovery_codes && <RecoveryCodesSection codes={recovery_codes} onCodes={setCodes} />}
          </>
        )}
      </Loaded>
      <ShownOnce secret={secret} onClose={() => setCodes(null)} />
    </Page>
  )
}

const hint =
  'Each opens your account once, in place of a lost passkey or authenticator. Print them, or keep them where your passwords are.'
