import { useRef, useState } from 'react'
import { useTRPC } from '../app/api.ts'
import { useAction } from '../components/forms/action.ts'

type Person = { id: string; username: string }

/** Bans a user from the signed-in user's channel at one press, and takes that back. */
export function useBan({ id: user_id, username }: Person) {
  const trpc = useTRPC()
  const [isBanned, setIsBanned] = useState(false)
  const made = useRef<Promise<unknown>>(undefined)
  const refresh = trpc.moderation.pathKey()
  const making = useAction(trpc.moderation.ban.mutationOptions(), { failed: `${username} was not banned`, refresh })
  const lifting = useAction(trpc.moderation.unban.mutationOptions(), {
    done: `${username} may write again.`,
    failed: 'The ban was not lifted',
    refresh,
  })
  const ban = async (): Promise<void> => {
    setIsBanned(true)
    made.current = making.run({ user_id })
    if (!(await made.current)) setIsBanned(false)
  }
  const unban = async (): Promise<void> => {
    setIsBanned(false)
    await made.current
    await lifting.run({ user_id })
  }
  return { ban: () => void ban(), unban: () => void unban(), isBanned }
}
