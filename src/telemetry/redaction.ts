/** Tokens, keys, secrets and codes of any kind (`lsat_…`), and signing secrets of webhooks: only their prefix is logged. */
const CREDENTIAL = /(ls[a-z]{1,3}_|whsec_)[0-9A-Za-z+/=]{16,}/g
/** Fields of a log line whose values are secrets by the end of their names, as pino writes them. The code of an error is `code` alone. */
const SECRET_FIELD =
  /"((?:[\w-]{1,40}[_-])?(?:authorization|cookie|password|secret|assertion|token|verifier)|\w{1,40}_code)":"(?:[^"\\]|\\.)*"/gi
/** Passwords in URLs of databases, brokers and proxies. The scheme's length is bounded to keep the match linear. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@"]*):[^\s/@"]+@/gi

/** Whether a text has a credential in it. */
export const holdsCredential = (text: string): boolean => text.search(CREDENTIAL) !== -1

/** A log line without credentials. A safety net: callers must not log them in the first place. */
export function withoutSecrets(line: string): string {
  return line.replace(CREDENTIAL, '$1…').replace(SECRET_FIELD, '"$1":"…"').replace(URL_PASSWORD, '$1:…@')
}

const CAUSES_MAX = 5

/**
 * An error for the log: name, code, stack and causes. A failed query's error quotes its parameters, which may be
 * anybody's password: they are cut off.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error
  const { cause } = error
  return {
    type: error.name,
    message: withoutParameters(error.message),
    ...('code' in error ? { code: error.code } : {}),
    ...('constraint_name' in error ? { constraint: error.constraint_name } : {}),
    stack: withoutParameters(error.stack ?? ''),
    ...(cause instanceof Error && depth < CAUSES_MAX ? { cause: describeError(cause, depth + 1) } : {}),
  }
}

/** Drizzle writes `Failed query: <SQL>\nparams: <values>`; the stack goes on below with `    at …`. */
const withoutParameters = (text: string) => text.replace(/\nparams: [\s\S]*?(?=\n {4}at |$)/g, '')
