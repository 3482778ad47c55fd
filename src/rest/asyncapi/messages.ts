import type { ListedEventType } from '../../domain/events/type-list.ts'
import { deliveryHeaders } from '../openapi/document-webhooks.ts'
import { eventSchemaName } from '../openapi/payload-schemas.ts'

/** An event as a message, whichever way it comes. */
export const messageOf = ({ type, description, sample }: ListedEventType) => ({
  name: type,
  title: type,
  summary: description,
  contentType: 'application/json',
  tags: [{ name: 'Events' }],
  payload: { $ref: `#/components/schemas/${eventSchemaName(type)}` },
  examples: [{ name: 'sample', payload: sample }],
})

/** The same as a receiver of webhooks gets it. */
export const deliveryOf = (event: ListedEventType) => ({ ...messageOf(event), headers })

const headers = {
  type: 'object',
  required: deliveryHeaders.map(({ name }) => name),
  properties: Object.fromEntries(
    deliveryHeaders.map(({ name, example, about }) => [
      name,
      { type: 'string', description: about, examples: [example] },
    ]),
  ),
}

/** What a stream tells about itself. */
export const feedSigns = {
  progress: {
    name: 'progress',
    title: 'progress',
    summary: 'So far nothing else was wanted: its `id` is the cursor to go on from. It has no data.',
    contentType: 'text/plain',
    payload: { type: 'string', maxLength: 0 },
  },
  end: {
    name: 'end',
    title: 'end',
    summary: 'Why the stream is ended, before it is.',
    contentType: 'application/json',
    payload: {
      type: 'object',
      required: ['reason', 'message'],
      properties: {
        reason: {
          type: 'string',
          description:
            '`recycled`: connect again at once. `revoked`: the credential has ended. `shutdown`: connect again in a moment.',
          examples: ['recycled'],
        },
        message: { type: 'string', examples: ['The stream was open for long: resume.'] },
      },
    },
  },
}
