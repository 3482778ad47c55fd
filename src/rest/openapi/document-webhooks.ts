import { listEventTypes } from '../../domain/events/type-list.ts'
import type { JsonObject } from './document-responses.ts'
import { eventSchemaName, pascalCase } from './payload-schemas.ts'

/** The `webhooks` of OpenAPI 3.1: the request that a subscription's receiver gets, for each type of event. */
export function describeWebhooks() {
  return Object.fromEntries(listEventTypes().map((listed) => [listed.type, { post: deliveryOf(listed) }]))
}

type Listed = ReturnType<typeof listEventTypes>[number]

const deliveryOf = ({ type, description, for_moderators, sample }: Listed) => ({
  operationId: `on${pascalCase(type)}`,
  tags: ['Events'],
  summary: description,
  description: for_moderators ? 'For the channel’s own user alone, by a token with a moderation scope.' : WHO_GETS_IT,
  security: [],
  parameters: deliveryHeaders.map(headerParameter),
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${eventSchemaName(type)}` }, example: sample },
    },
  },
  responses: {
    '2XX': { description: 'It is taken. Any of these, within 15 seconds.' },
    '410': { description: 'No more is wanted: the subscription is disabled.' },
    '429': { description: 'Later, please: the subscription waits for as long as `Retry-After` says, an hour at most.' },
    default: { description: 'It is not taken, and tried again.' },
  },
})

const WHO_GETS_IT = 'Sent to every subscription that asks for this type and hears the channel.'

/** What a delivery carries besides its body. */
export const deliveryHeaders = [
  { name: 'webhook-id', example: 'evt_01kdyrfq3e7y2n8v4c5b6m9t0a', about: 'The identifier of the event.' },
  { name: 'webhook-timestamp', example: '1767323045', about: 'When this attempt was signed, in seconds since 1970.' },
  {
    name: 'webhook-signature',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    about: 'One or more signatures of Standard Webhooks, separated by spaces.',
  },
  { name: 'x-event-type', example: 'chat.message.sent', about: 'The type of the event.' },
  { name: 'x-subscription-id', example: 'sub_01kdyrfq3e7y2n8v4c5b6m9t0a', about: 'The subscription that it is for.' },
  { name: 'x-delivery-attempt', example: '1', about: 'The number of the attempt, from 1.' },
]

const headerParameter = ({ name, example, about }: (typeof deliveryHeaders)[number]): JsonObject => ({
  name,
  in: 'header',
  required: true,
  description: about,
  schema: { type: 'string', example },
})
