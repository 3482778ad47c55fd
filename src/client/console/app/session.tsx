import type { inferRouterOutputs } from '@trpc/server'
import { createContext, type ReactNode, use } from 'react'
import type { AppRouter } from '../../../routers/index.ts'

export type Outputs = inferRouterOutputs<AppRouter>
export type Account = Outputs['account']['me']

const SignedIn = createContext<Account | undefined>(undefined)

export function AccountProvider({ account, children }: { account: Account; children: ReactNode }) {
  return <SignedIn value={account}>{children}</SignedIn>
}

/** Whoever is signed in. */
export function useAccount(): Account {
  const account = use(SignedIn)
  if (!account) throw new Error('A page was shown to nobody')
  return account
}

/** The login page, which leads back to `path` afterwards. */
export const loginAddress = (path: string): string => `/login?next=${encodeURIComponent(path)}`
export const signUpAddress = (path: string): string => `/signup?next=${encodeURIComponent(path)}`

/** Whether strangers may make an account: the server wrote it into the page. */
export const isSignUpOpen = (): boolean => document.documentElement.dataset.signup !== 'closed'

/** Whether this browser sent a session when the page was asked for: the server wrote it into the page. */
export const mayBeSignedIn = (): boolean => document.documentElement.dataset.session !== 'none'
