import { useInfiniteQuery } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useReducer } from 'react'
import { askWhoIsThere, client, useTRPC } from '../app/api.ts'
import { useAccount } from '../app/session.tsx'
import { byCursor, itemsOf } from '../components/pages.ts'
import { changed, messagesOf, unchanged } from './room.ts'
import { useDeletion } from './use-deletion.ts'

const PAGE = 50

let drafted = 0
const newKey = () => `draft ${++drafted}`

export type Room = ReturnType<typeof useRoom>

/** A room: its messages, live changes, and the user's own messages, which show before the service confirms them. */
export function useRoom(room_name: string) {
  const trpc = useTRPC()
  const { id: user_identity, username: user_name } = useAccount()
  const [changes, dispatch] = useReducer(changed, unchanged)
  const query = useInfiniteQuery(trpc.chat.list.infiniteQueryOptions({ room_name, limit: PAGE }, byCursor))
  const { status: stream } = useSubscription(
    trpc.chat.watch.subscriptionOptions(
      { room_name },
      {
        onStarted: () => void query.refetch(),
        onError: askWhoIsThere,
        onData({ data: { change, message } }) {
          if (change === 'sent') dispatch({ kind: 'sent', message })
          else dispatch({ kind: 'deleted', id: message.id })
        },
      },
    ),
  )

  const send = async (content: string, key = newKey()): Promise<void> => {
    dispatch({ kind: 'drafted', draft: { key, content, error: undefined } })
    try {
      const message = await client.chat.send.mutate({ room_name, content })
      dispatch({ kind: 'sent', message: { ...message, user_identity, user_name }, draft: key })
    } catch (error) {
      dispatch({ kind: 'failed', draft: key, error })
    }
  }

  const deletion = useDeletion(dispatch)
  const listed = query.data ? itemsOf(query.data) : []
  const discard = (draft: string) => dispatch({ kind: 'discarded', draft })
  const messages = messagesOf(listed, changes)
  return { query, stream, messages, leaving: changes.leaving, drafts: changes.drafts, send, discard, ...deletion }
}
