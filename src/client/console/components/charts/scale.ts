const NICE = [1, 2, 3, 4, 5, 6, 8, 10]

/** Where an axis ends: the next round number that is not below `most`, and never 0. */
export function niceTop(most: number): number {
  if (most <= 2) return 2
  const ten = 10 ** Math.floor(Math.log10(most))
  return ten * (NICE.find((step) => step * ten >= most) ?? 10)
}
