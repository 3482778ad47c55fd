import { Anchor, Code } from '@mantine/core'

type ErrorCodeProps = { code: string; guide: string | undefined }

/** The code of a failed call, which leads to its cause and its remedy. */
export function ErrorCode({ code, guide }: ErrorCodeProps) {
  const shown = <Code>{code}</Code>
  if (guide === undefined) return shown
  return (
    <Anchor href={guide} target="_blank" size="xs">
      {shown}
    </Anchor>
  )
}
