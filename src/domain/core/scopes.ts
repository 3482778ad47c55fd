import { apiScopeDescriptions, scopeDescriptions } from '../../shared/scope-descriptions.ts'

export type Scope = keyof typeof scopeDescriptions

export const scopes = Object.keys(scopeDescriptions) as Scope[]

/** Those that say what a credential can do with the API. The others tell who a person is, and are given only where they are named. */
export const apiScopes = Object.keys(apiScopeDescriptions) as Scope[]

const identityScopes = scopes.filter((scope) => !apiScopes.includes(scope))

/** SQL for what a column has of those that an application can have for itself: it is no person. */
export const apiScopesIn = (column: string): string =>
  identityScopes.reduce((rest, scope) => `array_remove(${rest}, '${scope}')`, column)

export const isScope = (value: string): value is Scope => Object.hasOwn(scopeDescriptions, value)

export const isApiScope = (value: string): boolean => Object.hasOwn(apiScopeDescriptions, value)
