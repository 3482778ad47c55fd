import * as z from 'zod'
import { EncoderStatus, getEncoderStatus } from '../domain/ingest/encoder-status.ts'
import {
  CreatedStreamKey,
  EncoderSettings,
  getEncoderSettings,
  revokeStreamKey,
  rollStreamKey,
} from '../domain/ingest/stream-keys.ts'
import { procedure } from './operation.ts'
import { router } from './trpc.ts'

/** The key with which encoders publish to the caller's channel, and how its encoder is, on our own pages. */
export const streamKeysRouter = router({
  get: procedure({ access: 'session' })
    .input(z.object({}))
    .output(EncoderSettings)
    .query(({ ctx }) => getEncoderSettings(ctx)),

  roll: procedure({ access: 'session', needs: ['stepUp'] })
    .input(z.object({}))
    .output(CreatedStreamKey)
    .mutation(({ ctx }) => rollStreamKey(ctx)),

  encoder: procedure({ access: 'session' })
    .input(z.object({}))
    .output(EncoderStatus.nullable())
    .query(({ ctx }) => getEncoderStatus(ctx)),

  revoke: procedure({ access: 'session' })
    .input(z.object({}))
    .output(z.void())
    .mutation(({ ctx }) => revokeStreamKey(ctx)),
})
