import { useTimeout } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../../app/api.ts'
import { statusOf } from '../../app/failure.ts'

/** Answers are stored each second, so one that was just given is not there yet. */
const STORED_MS = 1_500
const AGAIN_MS = 1_000
const NOT_FOUND = 404

type Lookup = {
  /** Whether the answer has just been given: then it is waited for before it is looked up. */
  isFresh?: boolean
  /** How often it is looked up again while it is not there. */
  againMax: number
}

/** Why a request was answered as it was, by its identifier. */
export function useExplanation(requestId: string, { isFresh = false, againMax }: Lookup) {
  const trpc = useTRPC()
  const [isDue, setIsDue] = useState(!isFresh)
  useTimeout(() => setIsDue(true), STORED_MS, { autoInvoke: isFresh })
  const retry = (failures: number, error: unknown) => failures < againMax && isWorthAnother(statusOf(error))
  return useQuery(
    trpc.requests.explain.queryOptions({ request_id: requestId }, { enabled: isDue, retry, retryDelay: AGAIN_MS }),
  )
}

const isWorthAnother = (status: number | undefined) => status === undefined || status === NOT_FOUND || status >= 500
