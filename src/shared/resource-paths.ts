/** The resources that a token can be for (RFC 8707), as paths of ours: the API, and what has an address of its own beside it. */
export const resourcePaths = ['', '/mcp'] as const
export type ResourcePath = (typeof resourcePaths)[number]

/** The resource that an address names; undefined for one that is none of ours. The last slash is a matter of taste. */
export function resourceAt(publicUrl: string, address: string): ResourcePath | undefined {
  return resourcePaths.find((path) => address === publicUrl + path || address === `${publicUrl}${path}/`)
}
