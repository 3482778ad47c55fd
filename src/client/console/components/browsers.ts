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

/** `Firefox on Linux`, as far as the header tells; it tells what it likes, so this is a hint for people. */
export function describeBrowser(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser'
  const browser = firstMatch(browsers, userAgent) ?? userAgent.slice(0, 40)
  const system = firstMatch(systems, userAgent)
  return system ? `${browser} on ${system}` : browser
}
