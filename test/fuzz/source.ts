import { problems } from '../../src/domain/core/problem-table.ts'

export type Reply = { status: number; headers: Headers; text: string }

/** `faults`: what is not promised. `refusal`: why a request was refused although it is as it may be. */
export type Judgement = { faults: string[]; refusal?: string; value?: unknown }

/** A request, and what its answer may be. */
export type Attempt = {
  /** What it is called in the report, such as `POST /v1/chat/messages`. */
  name: string
  /** What its identifiers are of. */
  noun: string
  method: string
  /** A path of the service, or a whole address. */
  target: string
  headers: Record<string, string>
  body: string | FormData | undefined
  /** Whether it may stay open: then its beginning is judged. */
  isStream?: boolean
  judge(reply: Reply): Judgement
}

/** Something that takes requests of many kinds: `size` of them. */
export type Source = { readonly size: number; attempt(): Attempt | Promise<Attempt> }

type ErrorOfAnswer = { code: string; message: string }

/** What is wrong with an error of ours, whoever tells it: its code has one status, its message is a sentence for people. */
export function faultsOfError(status: number, { code, message }: ErrorOfAnswer): string[] {
  const known = (problems as Record<string, { status: number }>)[code]
  const faults = known?.status === status ? [] : [`${status} has the code ${code}`]
  return isForPeople(message) ? faults : [...faults, `${status} ${code} says no sentence: ${message}`]
}

/** Not a library's words, a stack, or an object that was turned into text. */
const isForPeople = (message: unknown) =>
  typeof message === 'string' &&
  /\S(?:[.!?]|: [\w: ]+)$/.test(message) &&
  !/\[object |Invalid input|\n\s+at |\bZod/.test(message)

/** Every answer has a number, and is no crash. */
export function faultsOfAny({ status, headers }: Reply): string[] {
  if (status >= 500) return [`${status}`]
  return headers.get('x-request-id') ? [] : ['no X-Request-Id']
}

/** A refusal without what the caller had sent, so that those of one reason are one. */
export const reasonOf = (name: string, status: number, message: string) =>
  `${name}: ${status} ${message.replaceAll(/".*"/gs, '"…"').slice(0, 200)}`
