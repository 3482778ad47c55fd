import { type Dispatch, useEffect, useRef } from 'react'
import { client } from '../app/api.ts'
import { notifyFailed } from '../components/feedback/notices.tsx'
import type { Change } from './room.ts'

/** A deleted message cannot be had back, so it is deleted so much later, until which that can be undone. */
const UNDO_MS = 5_000

/** Deletes messages at one press. Whoever leaves the page does not wait: what is about to be deleted is deleted then. */
export function useDeletion(dispatch: Dispatch<Change>) {
  const waiting = useRef(new Map<string, ReturnType<typeof setTimeout>>())
  const take = (id: string): boolean => {
    clearTimeout(waiting.current.get(id))
    return waiting.current.delete(id)
  }
  const commit = async (id: string): Promise<void> => {
    if (!take(id)) return
    dispatch({ kind: 'deleted', id })
    try {
      await client.chat.delete.mutate({ messageId: id })
    } catch (error) {
      dispatch({ kind: 'restored', id })
      notifyFailed('The message was not deleted', error)
    }
  }
  const remove = (id: string): void => {
    dispatch({ kind: 'leaving', id })
    waiting.current.set(
      id,
      setTimeout(() => void commit(id), UNDO_MS),
    )
  }
  const restore = (id: string): void => {
    if (take(id)) dispatch({ kind: 'restored', id })
  }
  useDeletionOnLeave(waiting.current, commit)
  return { remove, restore }
}

/** By a page of the console, and by closing the window, of which only a request that outlives it gets out. */
function useDeletionOnLeave(
  waiting: Map<string, ReturnType<typeof setTimeout>>,
  commit: (id: string) => Promise<void>,
): void {
  const current = useRef(commit)
  useEffect(() => {
    current.current = commit
  })
  useEffect(() => {
    const sendOff = () => {
      for (const [messageId, timer] of waiting) {
        clearTimeout(timer)
        void fetch('/trpc/chat.delete', {
          method: 'POST',
          keepalive: true,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ messageId }),
        })
      }
      waiting.clear()
    }
    addEventListener('pagehide', sendOff)
    return () => {
      removeEventListener('pagehide', sendOff)
      for (const id of waiting.keys()) void current.current(id)
    }
  }, [waiting])
}
