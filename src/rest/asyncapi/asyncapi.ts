import { apiVersion } from '../../domain/core/version.ts'
import { listEventTypes } from '../../domain/events/type-list.ts'
import { subscribableTypes } from '../../domain/events/types.ts'
import { createExtensionsDocument } from '../openapi/document.ts'
import { payloadComponents } from '../openapi/payload-schemas.ts'
import { deliveryOf, feedSigns, messageOf } from './messages.ts'
import { asyncSecuritySchemes } from './security.ts'

/** The AsyncAPI document (3.0): the events of the catalogue, as the feed streams them and as webhooks deliver them. */
export function createAsyncApiDocument(publicUrl: string) {
  const ofFeed = events.filter(({ type }) => type !== 'webhook.test')
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Events of the Developer API',
      version: apiVersion,
      description,
      license: { name: 'Proprietary' },
      tags: [{ name: 'Events' }],
      externalDocs: { description: 'Guides', url: `${publicUrl}/docs/guides/` },
    },
    defaultContentType: 'application/json',
    servers: serversOf(publicUrl),
    channels: {
      feed: {
        address: '/v1/events',
        title: 'The feed',
        description: 'A stream of server-sent events, or pages of them: for who has no public address.',
        servers: [{ $ref: '#/servers/api' }],
        messages: {
          ...Object.fromEntries(ofFeed.map(({ type }) => [type, { $ref: `#/components/messages/${type}` }])),
          ...feedSigns,
        },
      },
      webhooks: {
        address: null,
        title: 'Webhooks',
        description: 'The `url` of a subscription; what it asked for is sent there, and signed.',
        servers: [{ $ref: '#/servers/receiver' }],
        messages: Object.fromEntries(events.map((event) => [event.type, deliveryOf(event)])),
      },
    },
    operations: operationsOf(publicUrl),
    components: {
      messages: Object.fromEntries(ofFeed.map((event) => [event.type, messageOf(event)])),
      schemas: payloadComponents(['webhook.test', ...subscribableTypes], 'draft-7'),
      securitySchemes: asyncSecuritySchemes(publicUrl),
    },
  }
}

const events = listEventTypes()

function serversOf(publicUrl: string) {
  const { host, protocol } = new URL(publicUrl)
  return {
    api: { host, protocol: protocol.slice(0, -1), description: 'This service, whose feed applications read.' },
    receiver: {
      host: '{receiver}',
      protocol: 'https',
      description: 'Whoever a subscription names: the service calls it.',
      variables: { receiver: { description: 'The host of its `url`.', examples: ['receiver.example'] } },
    },
  }
}

function operationsOf(publicUrl: string) {
  const security = ['oauth2', 'apiKey', 'overlayKey']
  return {
    streamEvents: {
      action: 'send',
      channel: { $ref: '#/channels/feed' },
      title: 'Stream what has happened',
      description:
        'Ask with `Accept: text/event-stream`. Of each event `id` is a cursor, behind which another stream goes on.',
      security: security.map((name) => ({ $ref: `#/components/securitySchemes/${name}` })),
      bindings: { http: { method: 'GET', query: feedQuery(publicUrl), bindingVersion: '0.3.0' } },
    },
    deliverEvent: {
      action: 'send',
      channel: { $ref: '#/channels/webhooks' },
      title: 'Deliver an event',
      description:
        'At least once, in no order. Any 2xx within 15 seconds is a success; else there are nine more attempts.',
      bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
    },
  }
}

const description = `What happens on the platform, in two ways with the same payloads: a feed that applications read (\`/v1/events\`,
as a stream or page by page) and webhooks that the service sends to the addresses of subscriptions.

The sequence of a channel counts its events from 1 without gaps. Payloads may grow: ignore fields and types that you do not know.`

type Parameter = { name: string; in: string; description?: string; schema: object }

/** The query of the feed, as its operation declares it. */
function feedQuery(publicUrl: string) {
  const { parameters = [] } = createExtensionsDocument(publicUrl).paths['/v1/events']?.get ?? {}
  const inQuery = (parameters as unknown as Parameter[]).filter((parameter) => parameter.in === 'query')
  return {
    type: 'object',
    properties: Object.fromEntries(
      inQuery.map(({ name, description, schema }) => [name, { ...schema, ...(description && { description }) }]),
    ),
  }
}
