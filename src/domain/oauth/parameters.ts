/** A parameter of a request body, of type string and optional; what it is needed for is checked where it is used. */
export type Parameter = {
  description: string
  example?: string
  /** All that it can be. */
  values?: readonly string[]
  /** Whoever reads it could use it: it is refused in an address, and no line of the log shows it. */
  isSecret?: true
  /** Accepted, but not shown in `/openapi.json`: the specification fixes the fields that are. */
  isExtension?: true
}

export type ValuesOf<Parameters> = { [Name in keyof Parameters]?: string | undefined }

/** An example of each parameter of the specification that has one. */
export const examplesOf = (parameters: Record<string, Parameter>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, { example, isExtension }]) =>
      example === undefined || isExtension ? [] : [[name, example]],
    ),
  )

export const secretsOf = (parameters: Record<string, Parameter>): string[] =>
  Object.keys(parameters).filter((name) => parameters[name]?.isSecret)

/** RFC 6749, section 3.1: a parameter without a value counts as omitted. */
export function omitEmpty(fields: Record<string, string | undefined>): Record<string, string | undefined> {
  const given: Record<string, string | undefined> = {}
  for (const name in fields) if (fields[name] !== '') given[name] = fields[name]
  return given
}
