import { scopeDescriptions } from '../../shared/scope-descriptions.ts'

export type Scope = keyof typeof scopeDescriptions

export const scopes = Object.keys(scopeDescriptions) as Scope[]

export const isScope = (value: string): value is Scope => Object.hasOwn(scopeDescriptions, value)
