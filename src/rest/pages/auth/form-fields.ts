import express, { type Request, type RequestHandler } from 'express'

/** Reads a form's body. */
export const readForm: RequestHandler = express.urlencoded({ extended: false, limit: '64kb' })

/** A field of the form as it came; empty when it is missing, came twice, or holds a NUL. */
export function formField(request: Request, name: string): string {
  const value: unknown = request.body?.[name]
  return typeof value === 'string' && !value.includes('\0') ? value : ''
}

/** The `next` of the query; empty when it is missing or repeated. */
export const nextOf = ({ query: { next } }: Request): string => (typeof next === 'string' ? next : '')
