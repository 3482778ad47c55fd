const browsers = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /Chrome\//],
  ['Safari', /Safari\//],
] as const

const systems = [
  ['Android', /Android/],
  ['iPhone or iPad', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
] as const

const firstMatch = (names: readonly (readonly [string, RegExp])[], text: string) =>
  names.find(([, shape]) => shape.test(text))?.[0]

/** `Firefox on Linux`, as far as the User-Agent header says. A client may send anything there, so this is only a hint. */
export function describeBrowser(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser'
  const browser = firstMatch(browsers, userAgent) ?? userAgent.slice(0, 40)
  const system = firstMatch(systems, userAgent)
  return system ? `${browser} on ${system}` : browser
}
