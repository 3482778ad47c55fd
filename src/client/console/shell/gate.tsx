import { Center, Container } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useTRPC } from '../app/api.ts'
import { statusOf } from '../app/failure.ts'
import { AccountProvider } from '../app/session.tsx'
import { Problem } from '../components/feedback/problem.tsx'
import { Shell } from './shell.tsx'
import { Splash } from './splash.tsx'

const Landing = lazy(async () => ({ default: (await import('./landing.tsx')).Landing }))

const UNAUTHORIZED = 401

/** Shows the console to a signed-in user, and the landing page to everybody else. */
export function Gate() {
  const trpc = useTRPC()
  const { data: account, error, refetch } = useQuery(trpc.account.me.queryOptions({}))
  if (statusOf(error) === UNAUTHORIZED) {
    return (
      <Suspense fallback={<Splash />}>
        <Landing />
      </Suspense>
    )
  }
  if (account) {
    return (
      <AccountProvider account={account}>
        <Shell />
      </AccountProvider>
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
