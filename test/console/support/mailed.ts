import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

/** The link that an address gets by what `act` does, whose path begins like this. */
export async function mailedLink(folder: string, to: { address: string; path: string }, act: () => Promise<void>) {
  const before = linksTo(folder, to)
  await act()
  const unseen = () => linksTo(folder, to).filter((link) => !before.includes(link))
  await expect.poll(unseen, { timeout: 15_000 }).not.toEqual([])
  return unseen()[0] ?? ''
}

/** Of mails as they lie in files, oldest first. */
function linksTo(folder: string, { address, path }: { address: string; path: string }): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'))
  return names
    .sort()
    .map((name) =>
      readFileSync(join(folder, name), 'utf8')
        .replaceAll(/=\r?\n/g, '')
        .replaceAll('=3D', '='),
    )
    .filter((mail) => mail.includes(address) && mail.includes(path))
    .map((mail) => /^[^\s"<&]+/.exec(mail.slice(mail.indexOf(path)))?.[0] ?? '')
}
