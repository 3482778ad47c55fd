import { MinuteBudget } from '../../src/domain/requests/minute-budget.ts'
import { RequestLogBuffer } from '../../src/domain/requests/request-log.ts'

/**
 * Imported into a service before it starts (`bench:request-log`), so that its request log can be switched while it runs: `off` notes
 * nothing, `all` keeps whatever it is told of, which the service itself never does. Else it is as it is.
 */
export type RequestLogMode = 'on' | 'off' | 'all'

let mode: RequestLogMode = 'on'
process.on('message', (message: { requestLog?: RequestLogMode }) => {
  mode = message.requestLog ?? mode
})
process.channel?.unref()

const { note } = RequestLogBuffer.prototype
RequestLogBuffer.prototype.note = function (...given) {
  if (mode !== 'off') note.apply(this, given)
}

const { take } = MinuteBudget.prototype
MinuteBudget.prototype.take = function (...given) {
  return mode === 'all' || take.apply(this, given)
}
