/** What curl and the connection add by themselves. */
const OF_THE_CONNECTION = /^(host|connection|content-length): /

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A request as it was sent, its address in the first line of its head, as a command of curl for a shell of POSIX. */
export function curlOf(head: string, body: string): string {
  const [line = '', ...headers] = head.split('\n')
  const url = line.slice(line.indexOf(' ') + 1)
  const sent = headers.filter((header) => !OF_THE_CONNECTION.test(header)).map((header) => `-H ${quoted(header)}`)
  return [`curl --globoff ${quoted(url)}`, ...sent, `--data-binary ${quoted(body)}`].join(' \\\n  ')
}
