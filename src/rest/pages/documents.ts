import { setImmediate as untilOthersAreAnswered } from 'node:timers/promises'
import { type RequestHandler, Router } from 'express'
import { eventSchemas } from '../../domain/events/types.ts'
import { createAsyncApiDocument } from '../asyncapi/asyncapi.ts'
import { createDocument, createExtensionsDocument } from '../openapi/document.ts'

const creators = {
  '/openapi.json': createDocument,
  '/openapi.extensions.json': createExtensionsDocument,
  '/asyncapi.json': createAsyncApiDocument,
  '/events/schemas.json': eventSchemas,
} satisfies Record<`/${string}`, (publicUrl: string) => object>

export type DocumentPath = keyof typeof creators
const paths = Object.keys(creators) as DocumentPath[]

/**
 * What the service publishes about itself, by its path. To make one takes some 50 ms in which nothing else is answered: a service makes
 * them all as it starts, a server alone each for who asks for it first.
 */
export class PublishedDocuments {
  readonly #publicUrl: string
  readonly #made = new Map<DocumentPath, string>()

  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl
  }

  /** Makes them, and lets between two of them whoever asks be answered. Rejects when one cannot be made. */
  async make(): Promise<void> {
    for (const path of paths) {
      this.textOf(path)
      await untilOthersAreAnswered()
    }
  }

  /** A document as JSON. */
  textOf(path: DocumentPath): string {
    const text = this.#made.get(path) ?? JSON.stringify(creators[path](this.#publicUrl))
    this.#made.set(path, text)
    return text
  }
}

export function documentPages(documents: PublishedDocuments): Record<DocumentPath, RequestHandler> {
  const serve = (path: DocumentPath): [DocumentPath, RequestHandler] => [
    path,
    Router().get('/', (_request, response) => void response.type('json').send(documents.textOf(path))),
  ]
  return Object.fromEntries(paths.map(serve)) as Record<DocumentPath, RequestHandler>
}
