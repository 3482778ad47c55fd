import type { Response } from 'express'
import { withParameters } from '../../../domain/applications/redirect-uris.ts'
import type { Context } from '../../../domain/core/context.ts'
import type { AuthorizationRefusal } from '../../../domain/oauth/authorization-endpoint.ts'
import { redirectWithoutReferrer } from './page.ts'

/** Where an answer goes: an address that is known to be registered, and the state as the client gave it, if it did. */
export type RedirectTarget = { redirect: string; state: string | undefined }

/** Sends the browser back to the client with a code. `iss` tells the client whose answer it is (RFC 9207). */
export function sendCode(
  { publicUrl: iss }: Context,
  response: Response,
  { redirect, state }: RedirectTarget,
  code: string,
) {
  redirectWithoutReferrer(response, withParameters(redirect, { code, state, iss }))
}

/** Sends the browser back to the client without a code, and says why. */
export function sendRefusal(
  { publicUrl: iss }: Context,
  response: Response,
  { redirect, state }: RedirectTarget,
  { error, description }: AuthorizationRefusal,
) {
  redirectWithoutReferrer(response, withParameters(redirect, { error, error_description: description, state, iss }))
}
