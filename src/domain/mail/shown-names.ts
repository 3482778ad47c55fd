/**
 * Programs that show mails make links of these by themselves, and readers believe them. Nobody gets an address, or a sentence that asks for
 * something, into the mailbox of somebody else by our hand: so no dot, slash, colon, @, + or mark that ends a sentence.
 */
const isPlain = (name: string) => /^[\p{L}\p{M}\p{N} '’_&(),-]{1,60}$/u.test(name) && !/www/iu.test(name)

/** The name of an application as a mail may say it, which its developers have chosen, whoever reads the mail. */
export const shownApplication = (name: string) => (isPlain(name) ? `the application “${name}”` : 'an application')

/** The name of anything else, in its place a word for it. */
export const nameOr = (name: string, otherwise: string) => (isPlain(name) ? name : otherwise)
