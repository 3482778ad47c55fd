import * as z from 'zod'
import { getCategory, listCategories } from '../domain/categories.ts'
import { Category } from '../domain/core/resources.ts'
import { page, paging, pathParameter } from './fields.ts'
import { operation } from './operation.ts'
import { router } from './trpc.ts'

export const categoriesRouter = router({
  list: operation('GET /v1/categories/', {
    tag: 'Categories',
    summary: 'List categories',
    access: 'category:read',
    envelope: 'page',
    problems: ['invalid_cursor'],
  })
    .input(z.object(paging()))
    .output(page(Category))
    .query(({ ctx, input }) => listCategories(ctx, input)),

  get: operation('GET /v1/categories/{id}', {
    tag: 'Categories',
    summary: 'Get a category',
    access: 'category:read',
    problems: ['category_not_found'],
  })
    .input(z.object({ id: pathParameter() }))
    .output(Category)
    .query(({ ctx, input }) => getCategory(ctx, input.id)),
})
