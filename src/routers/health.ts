import * as z from 'zod'
import { checkReadiness, liveness, metadata } from '../domain/health.ts'
import { operation } from './operation.ts'
import { router } from './trpc.ts'

export const healthRouter = router({
  live: operation('GET /health/', {
    tag: 'Health',
    summary: 'Whether the service runs',
    access: 'public',
    envelope: 'none',
    isConstant: true,
  })
    .input(z.object({}))
    .output(z.object({ ok: z.literal(true), service: z.literal('developer-api') }))
    .query(() => liveness),

  ready: operation('GET /health/ready', {
    tag: 'Health',
    summary: 'Whether the service can answer',
    access: 'public',
    envelope: 'none',
    problems: ['unavailable'],
  })
    .input(z.object({}))
    .output(z.object({ ready: z.literal(true) }))
    .query(({ ctx }) => checkReadiness(ctx)),

  metadata: operation('GET /', {
    tag: 'Health',
    summary: 'What this service is and where its parts are',
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
        authorization_server: z.string(),
      }),
    )
    .query(({ ctx }) => metadata(ctx)),
})
