import { subscribableTypes } from '../../domain/events/types.ts'
import { dataOf, type JsonObject, limitHeaders, type Response } from './document-responses.ts'
import { eventSchemaName, otherPayloadComponent, payloadComponents } from './payload-schemas.ts'

/** The schemas of what the feed gives, by their names. There may be more types. */
export const feedComponents: JsonObject = {
  ...payloadComponents(subscribableTypes, 'draft-2020-12'),
  ...otherPayloadComponent(),
}

/** What a request for the feed may carry besides the input of its procedure. */
export const feedParameters: JsonObject[] = [
  {
    name: 'key',
    in: 'query',
    required: false,
    description:
      'An overlay key, in place of the header `Authorization`: the only credential that may stand in an address.',
    schema: { type: 'string' },
  },
  {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description:
      'Of a stream: the `id` of the event that was seen last. It goes on behind that, whatever `after` and `since` say.',
    schema: { type: 'string', maxLength: 200 },
  },
]

/** A page of events as JSON, or a stream of them, as `Accept` asks. */
export const feedSuccess: Response = {
  description: 'The next events, none when nothing has happened; or a stream that stays open',
  headers: {
    ...limitHeaders(),
    Link: {
      description: 'Of a page: what comes next, as `<…>; rel="next"`. It is always there, for a feed has no last page.',
      schema: { type: 'string', example: '</v1/events?after=…>; rel="next"' },
    },
  },
  content: {
    'application/json': {
      schema: dataOf({
        type: 'array',
        items: { anyOf: [...subscribableTypes.map(eventSchemaName), 'OtherEvent'].map(refer) },
      }),
    },
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          'Server-sent events. Of each, `id` is a cursor, `event` the type, and `data` the payload on one line. `progress` has a ' +
          'cursor alone: so far nothing else was wanted. `end` says why the stream is ended: its `reason` is `recycled` (connect ' +
          'again at once), `revoked` (the credential has ended) or `shutdown` (connect again in a moment).',
        example: 'id: bGF0ZXI\nevent: livestream.ended\ndata: {"id":"evt_…","type":"livestream.ended",…}\n\n',
      },
    },
  },
}

function refer(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}
