import { applicationScopes, scopeDescriptions } from '../../../../shared/scope-descriptions.ts'

export type Scope = keyof typeof scopeDescriptions

export const allScopes = Object.keys(scopeDescriptions) as Scope[]

/** What an application can use without a user, as by an API key. */
export const scopesOfItself = allScopes.filter((scope) => applicationScopes.has(scope))
