type Headers = Readonly<Record<string, string | string[] | undefined>>

const KEPT_MS_DEFAULT = 300_000
const KEPT_MS_MAX = 86_400_000

/** How long an answer may be kept as its `Cache-Control` says (RFC 9111, section 5.2.2): five minutes by default, a day at most. */
export function keptMs({ 'cache-control': control, age }: Headers): number {
  const directives = [control ?? ''].flat().join(',').toLowerCase()
  if (/\bno-(store|cache)\b/.test(directives)) return 0
  const [, maxAge] = /(?:^|[\s,])max-age="?(\d{1,9})/.exec(directives) ?? []
  if (maxAge === undefined) return KEPT_MS_DEFAULT
  const spent = Number([age ?? '0'].flat()[0]) || 0
  return Math.min(Math.max(Number(maxAge) - spent, 0) * 1000, KEPT_MS_MAX)
}
