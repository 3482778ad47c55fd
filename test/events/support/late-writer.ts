import { sendMessage } from '../../../src/domain/chat.ts'
import type { UserContext } from '../../../src/domain/core/context.ts'
import { transact } from '../../../src/domain/core/transaction.ts'

/** A transaction that has written an event, and so taken its position, and goes on until `end`. */
export async function writeLate(ctx: UserContext, content: string, { isKept = true } = {}) {
  let end = () => {}
  const held = new Promise<void>((resolve) => {
    end = resolve
  })
  let begun = () => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const done = transact(ctx, async (tx) => {
    await sendMessage(tx, { room_name: ctx.principal.username, content })
    begun()
    await held
    if (!isKept) throw new Error('rolled back')
  })
  const ended = done.catch(() => {})
  await Promise.race([hasBegun, done])
  const finish = () => {
    end()
    return ended
  }
  return { end: finish, [Symbol.asyncDispose]: finish }
}
