import { useTRPC } from '../app/api.ts'
import { useAction } from '../components/forms/action.ts'

type Person = { id: string; username: string }

/** Bans a user from the signed-in user's channel, after a confirmation; resolves to whether it was done. */
export function useBan() {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.moderation.ban.mutationOptions(), {
    done: 'They cannot write in your chat any more.',
    failed: 'The ban was not made',
    refresh: trpc.moderation.pathKey(),
  })
  const ban = async ({ id, username }: Person): Promise<boolean> => {
    const body = `${username} can no longer write in your chat. You can lift the ban at any time.`
    const question = { title: `Ban ${username}?`, body, action: 'Ban' }
    return (await run({ user_id: id }, question)) !== undefined
  }
  return { ban, isPending }
}
