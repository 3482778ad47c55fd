import * as z from 'zod'
import { CurrentUser } from '../domain/core/resources.ts'
import { getCurrentUser } from '../domain/users.ts'
import { operation } from './operation.ts'
import { router } from './trpc.ts'

export const usersRouter = router({
  me: operation('GET /v1/users/me', {
    id: 'getCurrentUser',
    tag: 'Users',
    summary: 'Get the current user',
    description: 'Who gave the token. A credential that stands for an application alone has no user.',
    access: 'user:read',
    by: 'user',
    problems: ['user_not_found'],
  })
    .input(z.object({}))
    .output(CurrentUser)
    .query(({ ctx }) => getCurrentUser(ctx)),
})
