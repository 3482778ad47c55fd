import { NAME_LENGTH_MAX } from '../shared/limits.ts'
import { Problem } from './core/problem.ts'

/** Throws `invalid_request` for a name that cannot be shown on one line. */
export function requireName(name: string): void {
  const fault = faultOfName(name)
  if (fault !== undefined) throw new Problem('invalid_request', `name: ${fault}.`)
}

/** Why a name cannot be shown on one line; undefined where it can. */
export function faultOfName(name: string): string | undefined {
  const { length } = [...name.trim()]
  if (length < 1 || length > NAME_LENGTH_MAX) return `must have 1 to ${NAME_LENGTH_MAX} characters`
  return isVisible(name) ? undefined : 'must not have control or invisible characters'
}

/** Whether every character shows, except the selector U+FE0F that makes an emoji colourful, and at least one is no space. */
const isVisible = (name: string) =>
  !/[\p{C}\p{Zl}\p{Zp}\u2800]/u.test(name) &&
  !/\p{Default_Ignorable_Code_Point}/u.test(name.replaceAll('\ufe0f', '')) &&
  /[\p{L}\p{N}\p{P}\p{S}]/u.test(name)
