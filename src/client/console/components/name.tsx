/** What somebody has called something, in whatever script: it does not turn the text around it (`bdi`). */
export const Name = ({ children }: { children: string }) => <bdi className="breakable">{children}</bdi>

/** The same in a text that is no markup: FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE of Unicode (UAX 9). */
export const isolated = (name: string): string => (/^[\x20-\x7e]*$/.test(name) ? name : `\u2068${name}\u2069`)
