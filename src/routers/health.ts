import * as z from 'zod'
import { checkReadiness, liveness, metadata } from '../domain/health.ts'
import { operation } from './operation.ts'
import { router } from './trpc.ts'

export const healthRouter = router({
  live: operation('GET /health/', {
    id: 'getHealth',
    tag: 'Health',
    summary: 'Whether the service runs',
    description: 'Answers as long as the process runs, whatever the database does.',
    access: 'public',
    envelope: 'none',
    isConstant: true,
  })
    .input(z.object({}))
    .output(z.object({ ok: z.literal(true), service: z.literal('developer-api') }))
    .query(() => liveness),

  ready: operation('GET /health/ready', {
    id: 'getReadiness',
    tag: 'Health',
    summary: 'Whether the service can answer',
    description: 'Answers 200 once the database answers and is migrated, and 503 otherwise.',
    access: 'public',
    envelope: 'none',
    problems: ['unavailable'],
  })
    .input(z.object({}))
    .output(z.object({ ready: z.literal(true) }))
    .query(({ ctx }) => checkReadiness(ctx)),

  metadata: operation('GET /', {
    id: 'getMetadata',
    tag: 'Health',
    summary: 'What this service is and where its parts are',
    description: 'Its version, and where the documentation and the authorization server are.',
    access: 'public',
    envelope: 'none',
    isConstant: true,
  })
    .input(z.object({}))
    .output(
      z.object({
        service: z.literal('developer-api'),
        version: z.string(),
        documentation: z.string(),
        openapi: z.string(),
        openapi_extensions: z.string(),
        asyncapi: z.string(),
        authorization_server: z.string(),
      }),
    )
    .query(({ ctx }) => metadata(ctx)),
})
