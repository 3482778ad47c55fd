import type { Problem } from '../../../domain/core/problem.ts'

/** The message for people. It begins with the name of the field, which is a word of the form. */
export const sentenceOf = ({ message }: Problem) =>
  message.replace(
    /^([a-z])([a-z_]*): /,
    (_, first: string, rest: string) => `${first.toUpperCase()}${rest.replaceAll('_', ' ')} `,
  )
