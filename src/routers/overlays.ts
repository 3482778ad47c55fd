import * as z from 'zod'
import {
  CreatedOverlayKey,
  createOverlay,
  listOverlays,
  OverlayKey,
  revokeOverlay,
  rollOverlay,
} from '../domain/overlays.ts'
import { listOf, text } from './fields.ts'
import { procedure } from './operation.ts'
import { router } from './trpc.ts'

const byId = () => z.object({ id: text() })

/** Keys with which overlays of the caller's channel read the feed, on our own pages. */
export const overlaysRouter = router({
  list: procedure({ access: 'session' })
    .input(z.object({}))
    .output(z.array(OverlayKey))
    .query(({ ctx }) => listOverlays(ctx)),

  create: procedure({ access: 'session', needs: ['stepUp'] })
    .input(z.object({ name: text(), event_types: listOf(text()).min(1) }))
    .output(CreatedOverlayKey)
    .mutation(({ ctx, input }) => createOverlay(ctx, input)),

  roll: procedure({ access: 'session', needs: ['stepUp'] })
    .input(byId())
    .output(CreatedOverlayKey)
    .mutation(({ ctx, input }) => rollOverlay(ctx, input)),

  revoke: procedure({ access: 'session' })
    .input(byId())
    .output(z.void())
    .mutation(({ ctx, input }) => revokeOverlay(ctx, input)),
})
