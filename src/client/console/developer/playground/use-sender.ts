import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { client } from '../../app/api.ts'
import type { ComposedRequest } from './composed-request.ts'

export type StandsFor = 'me' | 'application'
export type PlaygroundAnswer = {
  status: number
  durationMs: number
  requestId: string | null
  headers: [name: string, value: string][]
  text: string
}
type Sent = { request: ComposedRequest; application_id: string; stands_for: StandsFor }
type Kept = { token: string; until: number }

/** A token is renewed before it ends. */
const MARGIN_MS = 60_000
const UNAUTHORIZED = 401

/**
 * Sends requests with a token of the application that lives for an hour; it is made with the first of them and kept in this page alone. What
 * the API answers is no failure.
 */
export function useSender() {
  const tokens = useRef(new Map<string, Kept>())

  const tokenOf = async ({ application_id, stands_for }: Sent, isRefused: boolean) => {
    const name = `${application_id} ${stands_for}`
    const kept = tokens.current.get(name)
    if (kept && !isRefused && kept.until > Date.now()) return kept.token
    const { access_token, expires_in } = await client.applications.issueToken.mutate({ application_id, stands_for })
    tokens.current.set(name, { token: access_token, until: Date.now() + expires_in * 1_000 - MARGIN_MS })
    return access_token
  }

  return useMutation({
    mutationFn: async (sent: Sent): Promise<PlaygroundAnswer> => {
      const answer = await send(sent.request, await tokenOf(sent, false))
      return answer.status === UNAUTHORIZED ? send(sent.request, await tokenOf(sent, true)) : answer
    },
  })
}

async function send({ method, url, body }: ComposedRequest, token: string): Promise<PlaygroundAnswer> {
  const begun = performance.now()
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    credentials: 'omit',
    cache: 'no-store',
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  return {
    status: response.status,
    durationMs: performance.now() - begun,
    requestId: response.headers.get('x-request-id'),
    headers: [...response.headers].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    text,
  }
}
