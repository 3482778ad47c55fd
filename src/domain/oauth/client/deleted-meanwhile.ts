import { violatedConstraint } from '../../../db/db-error.ts'
import type { Problem } from '../../core/problem.ts'

/** Does what stores something of an application, and throws `refusal` where that was deleted since the call began. */
export async function unlessDeleted<Result>(work: Promise<Result>, refusal: () => Problem): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw violatedConstraint(error)?.endsWith('_client_id_clients_id_fk') ? refusal() : error
  }
}
