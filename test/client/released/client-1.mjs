import { createTRPCClient, httpBatchLink, httpSubscriptionLink, isTRPCClientError, splitLink } from "@trpc/client";
// src/client/index.ts
/**
* The typed client: every procedure of the service with the types of its router, from a browser or from Node. A failed
* call rejects with a `TRPCClientError`, whose `data.problem` has the `code` and `message` that REST shows. Subscriptions
* connect again by themselves and go on where they were cut off, until a refusal, which ends them with such an error.
*/
function createClient({ baseUrl, credential, onReachable, EventSource }) {
	const url = `${baseUrl.replace(/\/$/, "")}/trpc`;
	const headers = async () => {
		const token = typeof credential === "function" ? await credential() : credential;
		return token === void 0 ? {} : { authorization: `Bearer ${token}` };
	};
	const fetchStream = async (to, init) => fetch(to, {
		...init,
		headers: {
			...init?.headers,
			...await headers()
		}
	});
	return createTRPCClient({ links: [splitLink({
		condition: ({ type }) => type === "subscription",
		true: httpSubscriptionLink({
			url,
			...EventSource && {
				EventSource,
				eventSourceOptions: { fetch: fetchStream }
			}
		}),
		false: httpBatchLink({
			url,
			maxItems: 10,
			headers,
			...onReachable && { fetch: watchedFetch(onReachable) }
		})
	})] });
}
var BAD_GATEWAY = 502;
/** A proxy without a backend answers 502 to 504, and the service answers 503 while it starts. */
function watchedFetch(tell) {
	return async (input, { signal, ...init } = {}) => {
		try {
			const response = await fetch(input, {
				...init,
				signal: signal ?? null
			});
			tell(response.status < BAD_GATEWAY);
			return response;
		} catch (error) {
			if (!signal?.aborted) tell(false);
			throw error;
		}
	};
}
/** Whether an error is a failed call, answered or not. */
var isFailedCall = (error) => isTRPCClientError(error);
/** The service's answer to a call that failed; undefined when it did not answer. */
function problemOf(error) {
	return isFailedCall(error) ? error.data?.problem : void 0;
}
export { createClient, isFailedCall, problemOf };
