import type { CliIo } from './io.ts'

const BAR_WIDTH = 30

/** The share that is done, from 0 to 1, and a text to show beside it. */
export type Progress = (share: number, text: string) => void

/** Shows a progress bar on standard error while `work` runs, if that is a terminal. */
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
