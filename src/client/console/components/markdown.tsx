import { Anchor, Code } from '@mantine/core'
import { createElement, Fragment, type ReactNode } from 'react'

const PART = /(`[^`]+`|\[[^\]]+\]\([\w-]+\.md\))/

/** The sentences of the table of errors: of Markdown they have code, and links to guides. */
export const Markdown = ({ text }: { text: string }): ReactNode =>
  createElement(Fragment, null, ...text.split(PART).map(nodeOf))

function nodeOf(part: string): ReactNode {
  if (part.startsWith('`')) return <Code>{part.slice(1, -1)}</Code>
  const [, label, guide] = /^\[([^\]]+)\]\(([\w-]+)\.md\)$/.exec(part) ?? []
  return label === undefined ? part : <Anchor href={`/docs/guides/${guide}`}>{label}</Anchor>
}
