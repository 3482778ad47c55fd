import { expect, test } from 'vitest'
import { textOf } from '../../src/domain/mail/kinds.ts'

const saying = (name: string) => {
  const key = {
    id: 'key_1',
    name,
    last4: 'abcd',
    application: name,
    applicationId: 'cli_1',
    endsAt: '2030-01-01T00:00Z',
  }
  return JSON.stringify([
    textOf('application_invitation', { application: name, inviter: 'ada', role: 'viewer', token: 't' }),
    textOf('application_transferred', { application: name, owner: 'ada' }),
    textOf('application_given', { application: name, applicationId: 'cli_1' }),
    textOf('application_taken', { application: name, owner: 'ada' }),
    textOf('application_handed_on', { application: name, applicationId: 'cli_1', others: [name] }),
    textOf('webhook_notice', { application: { id: 'cli_1', name }, webhooks: [], more: 1 }),
    textOf('key_notice', { keys: [key], more: 0 }),
  ])
}

test('a mail says the name of an application or a key only where it can be no link, no address and no sentence', () => {
  for (const name of [
    'Log in at evil.example',
    'https://evil',
    'evil。example',
    'WWW evil',
    'mail me@evil',
    'Account locked! Act now',
    'evil․example',
    'call +1 800',
    'evil%2Eexample',
    'a\u202eb',
  ])
    expect(saying(name), name).not.toContain(name)
  for (const name of ['Stream Deck (beta)', 'Übersetzer’s Bot', 'チャット bot', 'a-b_c & d'])
    expect(saying(name).split(name), name).toHaveLength(11)
})

test('a mail that an older release has queued is sent all the same', () => {
  expect(textOf('application_handed_on', { application: 'Bot', applicationId: 'cli_1' }).subject).toBe(
    'You own an application now',
  )
})
