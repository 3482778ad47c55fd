import { readdirSync, readFileSync } from 'node:fs'

/** The cells of every table row of a Markdown document, without the rows that head a table. */
export const rowsOf = (markdown: string): string[][] =>
  markdown
    .split('\n')
    .filter(
      (line, index, lines) => line.startsWith('|') && !line.startsWith('|-') && !lines[index + 1]?.startsWith('|-'),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

/** Every TypeScript file below a folder, with its text. */
export const textsBelow = (folder: string): { path: string; text: string }[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
