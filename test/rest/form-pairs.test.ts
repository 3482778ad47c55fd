import fc from 'fast-check'
import { expect, test } from 'vitest'
import { urlencodedEntries, urlencodedPairs } from '../../src/rest/http/bodies/form.ts'
import { isPercentEncodedUtf8 } from '../../src/rest/http/bodies/percent-encoding.ts'

test('a form has the fields that the parser of the platform finds in it, however it is encoded', () => {
  const piece = fc.constantFrom(
    'a',
    'B',
    '7',
    '&',
    '&',
    '=',
    '=',
    '+',
    '%',
    '%20',
    '%2B',
    '%26',
    '%3d',
    '%c3%a9',
    '%00',
    'é',
    '?',
    '[]',
  )
  const form = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(form.filter(isPercentEncodedUtf8), (text) => {
      // that parser takes a question mark at the beginning for that of an address
      const parsed = [...new URLSearchParams(`&${text}`)]
      expect(urlencodedPairs(text)).toEqual(parsed)
      expect([...urlencodedEntries(text)]).toEqual(parsed)
    }),
    { numRuns: 2_000 },
  )
})
