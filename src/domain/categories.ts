import { statement } from '../db/statement.ts'
import type { Context } from './core/context.ts'
import { isId } from './core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from './core/paging.ts'
import { Problem } from './core/problem.ts'
import type { Category } from './core/resources.ts'

const FIELDS = 'id, slug, label, description, image_url, featured, sort_order'

const categoryById = statement<[id: string], Category>(`select ${FIELDS} from categories where id = $1`)

const categoriesAfter = statement<[sortOrder: number, label: string, id: string, count: number], Category>(`
  select ${FIELDS} from categories where (sort_order, label, id) > ($1::integer, $2, $3)
  order by sort_order, label, id limit $4`)

const BEFORE_ALL = ['-2147483648', '', ''] as const

/** Categories by sort order, then label. */
export async function listCategories(ctx: Context, { limit, cursor }: PageRequest): Promise<Page<Category>> {
  const [sortOrder = '', label = '', id = ''] = decodeCursor(ctx, 'categories', cursor) ?? BEFORE_ALL
  const categories = await categoriesAfter(ctx.db, Number(sortOrder), label, id, limit + 1)
  return toPage(ctx, 'categories', categories, limit, (last) => [String(last.sort_order), last.label, last.id])
}

/** Throws `category_not_found`. */
export async function getCategory({ db }: Context, id: string): Promise<Category> {
  const [category] = isId('category', id) ? await categoryById(db, id) : []
  if (!category) throw new Problem('category_not_found', 'There is no category with this identifier.')
  return category
}
