import * as z from 'zod'
import { getCategory, listCategories } from '../domain/categories.ts'
import { Category } from '../domain/core/resources.ts'
import { examples } from '../shared/examples.ts'
import { page, paging, pathParameter } from './fields.ts'
import { operation } from './operation.ts'
import { router } from './trpc.ts'

export const categoriesRouter = router({
  list: operation('GET /v1/categories/', {
    id: 'listCategories',
    tag: 'Categories',
    summary: 'List categories',
    description: 'In the order in which they are shown: by `sort_order`, then by label.',
    access: 'category:read',
    envelope: 'page',
    problems: ['invalid_cursor'],
  })
    .input(z.object(paging()))
    .output(page(Category))
    .query(({ ctx, input }) => listCategories(ctx, input)),

  get: operation('GET /v1/categories/{id}', {
    id: 'getCategory',
    tag: 'Categories',
    summary: 'Get a category',
    description: 'By its identifier; the `category` of a live stream is a slug, which the list has beside it.',
    access: 'category:read',
    problems: ['category_not_found'],
  })
    .input(z.object({ id: pathParameter('The identifier of the category.', examples.categoryId) }))
    .output(Category)
    .query(({ ctx, input }) => getCategory(ctx, input.id)),
})
