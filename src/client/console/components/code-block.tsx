import { ScrollArea } from '@mantine/core'
import { CopyIconButton } from './copy.tsx'

type CodeBlockProps = { code: string; label: string; maxHeight?: number }

/** Code to read and copy. Long code scrolls, also by the keyboard. */
export function CodeBlock({ code, label, maxHeight = 420 }: CodeBlockProps) {
  return (
    <figure className="code" aria-label={label}>
      <div className="code-copy">
        <CopyIconButton value={code} label={label} />
      </div>
      <ScrollArea.Autosize mah={maxHeight} type="auto" viewportProps={{ tabIndex: 0 }}>
        <pre>{code}</pre>
      </ScrollArea.Autosize>
    </figure>
  )
}
