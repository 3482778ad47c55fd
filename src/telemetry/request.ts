import { AsyncLocalStorage } from 'node:async_hooks'

const requests = new AsyncLocalStorage<string>()

/** Runs `work` so that every log line below it carries the request's identifier. */
export const withRequestId = <Result>(requestId: string, work: () => Result): Result => requests.run(requestId, work)

/** The identifier of the request that is being answered here, if one is. */
export const currentRequestId = (): string | undefined => requests.getStore()
