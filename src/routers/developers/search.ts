import * as z from 'zod'
import { SearchHit } from '../../domain/applications/search/resources.ts'
import { searchOwn } from '../../domain/applications/search/search.ts'
import { text } from '../fields.ts'
import { procedure } from '../operation.ts'
import { router } from '../trpc.ts'

const LENGTH_MAX = 200

/** Finds what is the signed-in person's. */
export const searchRouter = router({
  find: procedure({ access: 'session', role: 'viewer' })
    .input(z.object({ text: text().max(LENGTH_MAX, `must have at most ${LENGTH_MAX} characters`) }))
    .output(z.array(SearchHit))
    .query(({ ctx, input }) => searchOwn(ctx, input)),
})
