import type { CliIo } from './io.ts'

const BAR_WIDTH = 30

/** How much is done, from 0 to 1, and how one would say it. */
export type Progress = (share: number, text: string) => void

/** Shows how far long work is, on one line of standard error, to a person; the log of a program is left alone. */
export async function withProgress<Result>(
  { isTerminal, showProgress }: CliIo,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  if (!isTerminal) return work(() => {})
  let isShown = false
  try {
    return await work((share, text) => {
      isShown = true
      const filled = Math.round(Math.min(Math.max(share, 0), 1) * BAR_WIDTH)
      showProgress(`\r\u001b[K[${'='.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] ${text}`)
    })
  } finally {
    if (isShown) showProgress('\n')
  }
}
