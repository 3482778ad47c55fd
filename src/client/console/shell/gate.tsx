import { Center, Container } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTRPC } from '../app/api.ts'
import { statusOf } from '../app/failure.ts'
import { type Account, AccountProvider, mayBeSignedIn } from '../app/session.tsx'
import { Problem } from '../components/feedback/problem.tsx'
import { OtherPerson } from './other-person.tsx'
import { SessionEnded } from './session-ended.tsx'
import { Shell } from './shell.tsx'
import { Splash } from './splash.tsx'

const Landing = lazy(async () => ({ default: (await import('./landing.tsx')).Landing }))

const UNAUTHORIZED = 401

/** Shows the console to a signed-in user, and the landing page to everybody else. */
export function Gate() {
  const trpc = useTRPC()
  const query = useQuery(trpc.account.me.queryOptions({}, { enabled: mayBeSignedIn() }))
  const { data: account, error, refetch } = query
  const isRefused = statusOf(error) === UNAUTHORIZED
  if (account) return <Inside account={account} isSessionOver={isRefused} />
  if (isRefused || !mayBeSignedIn()) {
    return (
      <Suspense fallback={<Splash />}>
        <Landing />
      </Suspense>
    )
  }
  if (!error) return <Splash />
  return (
    <Container size="xs" component="main">
      <Center mih="60vh">
        <Problem error={error} title="The console could not be opened" onRetry={() => void refetch()} />
      </Center>
    </Container>
  )
}

/** The page stays under whatever is said about its session, so that nothing on it is lost. */
function Inside({ account, isSessionOver }: { account: Account; isSessionOver: boolean }) {
  const [first] = useState(account)
  const isOther = account.id !== first.id
  return (
    <AccountProvider account={isOther ? first : account}>
      <Shell />
      {isSessionOver && <SessionEnded username={account.username} />}
      {isOther && !isSessionOver && <OtherPerson username={account.username} before={first.username} />}
    </AccountProvider>
  )
}
