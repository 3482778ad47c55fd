import { scopeDescriptions } from '../../../../shared/scope-descriptions.ts'

export type Scope = keyof typeof scopeDescriptions

export const allScopes = Object.keys(scopeDescriptions) as Scope[]
