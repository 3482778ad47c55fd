import { afterAll, expect, test } from 'vitest'
import { categories } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const token = await app.token(['category:read'])
const { db, now } = app.context

const rows = [
  { slug: 'music', label: 'Music', sortOrder: 20, description: null, featured: false },
  { slug: 'games', label: 'Games', sortOrder: -5, description: 'All of them', featured: true },
  { slug: 'art', label: 'Art', sortOrder: 20, description: null, featured: false },
].map((row) => ({ ...row, id: newId('category', now()) }))
await db.insert(categories).values(rows)

test('by sort order, then label, in pages, every key always present', async () => {
  const listed: { slug: string }[] = []
  for (let path = '/v1/categories/?limit=1'; path; ) {
    const { body, headers } = await app.request(`GET ${path}`, { token })
    listed.push(...body.data)
    path = /<(.+)>/.exec(headers.get('link') ?? '')?.[1] ?? ''
  }
  expect(listed.map(({ slug }) => slug)).toEqual(['games', 'art', 'music'])
  expect(listed[0]).toEqual({
    id: rows[1]?.id,
    slug: 'games',
    label: 'Games',
    description: 'All of them',
    image_url: null,
    featured: true,
    sort_order: -5,
  })
})

test('one by its identifier; what can be none is 404', async () => {
  const { body } = await app.request(`GET /v1/categories/${rows[0]?.id}/`, { token })
  expect(body.data.slug).toBe('music')
  for (const id of ['nope', '%00', newId('category', now()), newId('user', now()), '..%2f', '-1']) {
    expect((await app.request(`GET /v1/categories/${id}`, { token })).status, id).toBe(404)
  }
})
