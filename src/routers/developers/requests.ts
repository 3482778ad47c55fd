import * as z from 'zod'
import { explainRequest } from '../../domain/requests/explain.ts'
import { listRequests } from '../../domain/requests/list.ts'
import { ExplainedRequest, LoggedRequest, RequestSummary } from '../../domain/requests/resources.ts'
import { summarizeRequests } from '../../domain/requests/summary.ts'
import { page, paging, text, wholeNumber } from '../fields.ts'
import { procedure } from '../operation.ts'
import { router } from '../trpc.ts'

const SEARCH_LENGTH_MAX = 200
/** Of an `X-Request-Id` that is taken from a caller. */
const REQUEST_ID_LENGTH_MAX = 128

const search = (max: number) => text().max(max, `must have at most ${max} characters`)
const period = () => ({ application_id: text(), from: text().optional(), to: text().optional() })

/** The logs of what applications asked, and what they were answered. */
export const requestsRouter = router({
  list: procedure({ access: 'session', role: 'viewer' })
    .input(
      z.object({
        ...period(),
        status: z
          .union(
            [z.enum(['failed', '2xx', '4xx', '5xx']), wholeNumber(100, 999)],
            'must be failed, 2xx, 4xx, 5xx, or a number from 100 to 999',
          )
          .optional(),
        code: search(SEARCH_LENGTH_MAX).optional(),
        operation: search(SEARCH_LENGTH_MAX).optional(),
        credential_id: search(SEARCH_LENGTH_MAX).optional(),
        text: search(SEARCH_LENGTH_MAX).optional(),
        ...paging(),
      }),
    )
    .output(page(LoggedRequest))
    .query(({ ctx, input }) => listRequests(ctx, input)),

  summary: procedure({ access: 'session', role: 'viewer' })
    .input(z.object(period()))
    .output(RequestSummary)
    .query(({ ctx, input }) => summarizeRequests(ctx, input)),

  explain: procedure({ access: 'sessionOrAnyToken', role: 'viewer' })
    .input(z.object({ request_id: search(REQUEST_ID_LENGTH_MAX) }))
    .output(z.array(ExplainedRequest))
    .query(({ ctx, input }) => explainRequest(ctx, input)),
})
