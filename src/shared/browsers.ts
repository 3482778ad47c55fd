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

/** `Firefox on Linux`, as far as the User-Agent header says; undefined for a program that is none of these. A client may send anything there. */
export function browserNamed(userAgent: string): string | undefined {
  const browser = firstMatch(browsers, userAgent)
  const system = firstMatch(systems, userAgent)
  return browser && system ? `${browser} on ${system}` : browser
}
