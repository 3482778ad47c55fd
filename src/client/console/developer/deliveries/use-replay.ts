import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client, useTRPC } from '../../app/api.ts'
import { useConfirm } from '../../components/forms/confirm.tsx'

export type ReplayKind = 'failed' | 'missed' | 'all'
type Span = { only: ReplayKind; from?: string | undefined; to?: string | undefined }
type Progress = { queued: number; isRunning: boolean; isDone: boolean; error: unknown }

const idle: Progress = { queued: 0, isRunning: false, isDone: false, error: undefined }

/** Replays in chunks until nothing is left, and reports progress. Asks first when everything would be sent again. */
export function useReplay(subscription: string) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const [progress, setProgress] = useState(idle)
  const start = async (span: Span) => {
    if (span.only === 'all' && !(await confirm(everything))) return
    let queued = 0
    setProgress({ ...idle, isRunning: true })
    try {
      for (let next: string | null | undefined; next !== null; ) {
        const chunk = await client.deliveries.replay.mutate({ subscription, ...span, ...(next && { after: next }) })
        queued += chunk.queued + chunk.hastened
        next = chunk.next
        setProgress({ ...idle, isRunning: true, queued })
      }
      setProgress({ ...idle, isDone: true, queued })
    } catch (error) {
      setProgress({ ...idle, queued, error })
    }
    await queries.invalidateQueries({ queryKey: trpc.deliveries.pathKey() })
  }
  return { start, ...progress }
}

const everything = {
  title: 'Replay everything?',
  body: 'Also what your receiver has already accepted is sent again. It can tell by the webhook-id.',
  action: 'Replay everything',
}
