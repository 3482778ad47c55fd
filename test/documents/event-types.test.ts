import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventTypes } from '../../src/domain/events/types.ts'

test('the guide of webhooks says when each type is sent', () => {
  const rows = readFileSync('docs/guides/webhooks.md', 'utf8').match(/^\| Type \| When \|$(?:\n\|.*)*/m)?.[0]
  for (const type of Object.keys(eventTypes)) expect(rows).toContain(`\`${type}\``)
})
