import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteMessage, listMessages, sendMessage } from '../../src/domain/chat.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { createBan } from '../../src/domain/moderation.ts'
import { createTestContext } from '../support/context.ts'

let t: Awaited<ReturnType<typeof createTestContext>>
let number = 0
beforeAll(async () => {
  t = await createTestContext()
})
afterAll(() => t[Symbol.asyncDispose]())

/** Somebody new, with a room of their own. */
async function person(): Promise<UserContext & { room_name: string }> {
  const { id: userId, username } = await t.user(`person_${number++}`)
  const principal = { kind: 'user', userId, username, clientId: null, scopes: [] } as const
  return { ...t.context, principal, room_name: username }
}
const say = (who: UserContext, room_name: string, content: string) => sendMessage(who, { room_name, content })
const page = (room_name: string, limit = 100, cursor?: string) => listMessages(t.context, { room_name, limit, cursor })

describe('sending', () => {
  test('returns the message as the list shows it, under the canonical name of the room', async () => {
    const [ada, bob] = [await person(), await person()]
    const sent = await say(bob, ada.room_name.toUpperCase(), ' héllo \n👩‍👩‍👧‍👦 ')
    expect(sent).toMatchObject({ room_name: ada.room_name, content: ' héllo \n👩‍👩‍👧‍👦 ', type: 'text' })
    const { room_name: _, ...message } = sent
    const author = { user_identity: bob.principal.userId, user_name: bob.principal.username }
    expect((await page(ada.room_name)).items).toEqual([{ ...message, ...author }])
  })

  test('takes 1 to 500 code points, however many bytes those have', async () => {
    const ada = await person()
    for (const content of ['x', '𝕏'.repeat(500)]) expect((await say(ada, ada.room_name, content)).content).toBe(content)
    await expect(say(ada, ada.room_name, '𝕏'.repeat(501))).rejects.toMatchObject({ code: 'message_too_long' })
  })

  test('into a room that does not exist, or whose owner is gone, is refused', async () => {
    const [ada, bob] = [await person(), await person()]
    await t.context.db.execute(`update users set disabled_at = now() where id = '${bob.principal.userId}'`)
    for (const room of ['no_such_room', 'x', 'a b', '../etc', bob.room_name, 'x'.repeat(500)]) {
      await expect(say(ada, room, 'hi')).rejects.toMatchObject({ code: 'unknown_room' })
    }
  })

  test('is refused to whom the owner has banned, there and nowhere else', async () => {
    const [ada, bob] = [await person(), await person()]
    await createBan(ada, { user_id: bob.principal.userId })
    await expect(say(bob, ada.room_name, 'hi')).rejects.toMatchObject({ code: 'sender_banned' })
    await say(bob, bob.room_name, 'my own room')
    expect((await page(ada.room_name)).items).toEqual([])
  })

  test('is limited to 20 in 30 s for each sender and room, to 100 for its owner', async () => {
    const [ada, bob, eve] = [await person(), await person(), await person()]
    for (let n = 0; n < 20; n++) await say(bob, ada.room_name, `${n}`)
    const refused = say(bob, ada.room_name.toUpperCase(), 'one too many')
    await expect(refused).rejects.toMatchObject({ code: 'rate_limited', details: { retryAfterS: expect.any(Number) } })
    await say(bob, eve.room_name, 'elsewhere')
    await say(eve, ada.room_name, 'somebody else')
    for (let n = 0; n < 100; n++) await say(ada, ada.room_name, `${n}`)
    await expect(say(ada, ada.room_name, 'one too many')).rejects.toMatchObject({ code: 'rate_limited' })
  })

  test('wakes the worker after the commit, also inside a transaction of its caller', async () => {
    const ada = await person()
    t.wake.mockClear()
    await transact(ada, async (tx) => {
      await say(tx, ada.room_name, 'inside')
      expect(t.wake).not.toHaveBeenCalled()
    })
    expect(t.wake).toHaveBeenCalledOnce()
    await transact(ada, async (tx) => {
      await say(tx, ada.room_name, 'undone')
      throw new Error('the caller fails')
    }).catch(() => {})
    expect(t.wake).toHaveBeenCalledOnce()
    expect((await page(ada.room_name)).items.map(({ content }) => content)).toEqual(['inside'])
  })

  test('makes the partitions of today when they are missing, also inside a transaction of its caller', async () => {
    const today = { ...(await person()), now: () => new Date() }
    const day = today.now().toISOString().slice(0, 10).replaceAll('-', '')
    const loseThem = () => t.context.db.execute(`drop table chat_messages_${day.slice(0, 6)}, events_${day}`)
    await loseThem()
    await say(today, today.room_name, 'by itself')
    await loseThem()
    await transact(today, (tx) => say(tx, today.room_name, 'inside'))
    expect((await page(today.room_name)).items.map(({ content }) => content)).toEqual(['inside'])
  })
})

describe('the list', () => {
  test('is the newest messages, oldest first within a page; walking on yields each once, while more is said', async () => {
    const ada = await person()
    const sent: string[] = []
    for (let n = 0; n < 9; n++) sent.push((await say(ada, ada.room_name, `${n}`)).id)
    const seen: string[][] = []
    let cursor: string | undefined
    do {
      const { items, next } = await page(ada.room_name, 4, cursor)
      seen.push(items.map(({ id }) => id))
      cursor = next ?? undefined
      await say(ada, ada.room_name, 'meanwhile')
    } while (cursor !== undefined)
    expect(seen).toEqual([sent.slice(5), sent.slice(1, 5), sent.slice(0, 1)])
  })

  test('of a room that does not exist is empty; a cursor belongs to its room', async () => {
    const [ada, bob] = [await person(), await person()]
    for (const room of ['no_such_room', '\0', "' or 1 = 1"]) expect(await page(room)).toEqual({ items: [], next: null })
    for (let n = 0; n < 3; n++) await say(ada, ada.room_name, `${n}`)
    const { next } = await page(ada.room_name, 2)
    for (const wrong of [next ?? '', 'garbage', '']) {
      await expect(page(bob.room_name, 2, wrong)).rejects.toMatchObject({ code: 'invalid_cursor' })
    }
  })
})

test('a message is deleted by its author or the owner of the room, once; nobody else may', async () => {
  const [ada, bob, eve] = [await person(), await person(), await person()]
  const [own, guest] = [await say(bob, ada.room_name, 'own'), await say(bob, ada.room_name, 'guest')]
  for (const { id } of [own, guest]) {
    await expect(deleteMessage(eve, id)).rejects.toMatchObject({ code: 'forbidden' })
  }
  await deleteMessage(bob, own.id)
  await deleteMessage(ada, guest.id)
  for (const gone of [own.id, guest.id, 'msg_', '\0', 'usr_01kdyak3smes3b2cbbsxw14wnj']) {
    await expect(deleteMessage(ada, gone)).rejects.toMatchObject({ code: 'message_not_found' })
  }
  expect((await page(ada.room_name)).items).toEqual([])
})

test('twenty at once delete a message one time', async () => {
  const ada = await person()
  const { id } = await say(ada, ada.room_name, 'gone')
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => deleteMessage(ada, id)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})
