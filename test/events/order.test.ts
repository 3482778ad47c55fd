import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { sendMessage } from '../../src/domain/chat.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { createFeedApp } from './support/feed.ts'

const app = await createFeedApp()
afterAll(() => app[Symbol.asyncDispose]())
const { bob, applicationToken: application, as, say, page } = app

describe('the order of all channels', () => {
  /** A transaction that has taken a position and goes on until `end`. */
  const late = async (content: string, isKept: boolean) => {
    let end = () => {}
    const held = new Promise<void>((resolve) => {
      end = resolve
    })
    let begun = () => {}
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    const done = transact(as(bob), async (tx) => {
      await sendMessage(tx, { room_name: 'bob', content })
      begun()
      await held
      if (!isKept) throw new Error('rolled back')
    }).catch(() => {})
    await hasBegun
    return {
      end: () => {
        end()
        return done
      },
    }
  }

  test('nothing is missing that was committed behind a later event, and nothing comes twice', async () => {
    const begun = await page('/v1/events?types=chat.message.sent', application)
    const transaction = await late('committed late', true)
    await say('committed first')
    const early = await page(begun.next, application)
    await transaction.end()
    const later = await page(`${early.next}&wait=20`, application)
    const rest = await page(later.next.replace('wait=20', 'wait=0'), application)
    expect([early.said, later.said, rest.said]).toEqual([[], ['committed late', 'committed first'], []])
  })

  test('an event that never came holds nobody up', async () => {
    const begun = await page('/v1/events?types=chat.message.sent', application)
    const transaction = await late('never', false)
    await say('behind it')
    await transaction.end()
    expect((await page(`${begun.next}&wait=20`, application)).said).toEqual(['behind it'])
  })

  test('who writes anything but events holds nobody up, however long', async () => {
    const begun = await page('/v1/events?types=chat.message.sent', application)
    await app.context.db.transaction(async (other) => {
      await other.execute(sql`update users set updated_at = updated_at where id = ${bob.id}`)
      const transaction = await late('never', false)
      await say('meanwhile')
      await transaction.end()
      expect((await page(`${begun.next}&wait=5`, application)).said).toEqual(['meanwhile'])
    })
  })
})
