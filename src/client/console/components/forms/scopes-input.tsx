import { Checkbox, Code, Group, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { scopeDescriptions, scopeReach } from '../../../../shared/scope-descriptions.ts'
import { allScopes, type Scope } from './scopes.ts'

type ScopesInputProps = {
  label: string
  description?: string
  /** The scopes to choose from; all when left out. */
  choices?: readonly Scope[]
  /** What an application may do to whom, or what it may do to the reader. */
  words?: 'reach' | 'yours'
  value?: Scope[]
  defaultValue?: Scope[]
  onChange?: (scopes: Scope[]) => void
  error?: ReactNode
}

/** Scopes to tick, each with what it allows. */
export function ScopesInput({ choices = allScopes, words = 'yours', onChange, ...group }: ScopesInputProps) {
  return (
    <Checkbox.Group {...group} onChange={(values) => onChange?.(allScopes.filter((scope) => values.includes(scope)))}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
        {choices.map((scope) => (
          <Checkbox
            key={scope}
            value={scope}
            label={<ScopeLabel scope={scope} words={words === 'reach' ? scopeReach : scopeDescriptions} />}
          />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  )
}

const ScopeLabel = ({ scope, words }: { scope: Scope; words: Record<Scope, string> }) => (
  <>
    <Code>{scope}</Code>
    <Text component="span" size="xs" c="dimmed" display="block">
      {words[scope]}
    </Text>
  </>
)

/** Scopes to read. */
export function ScopeList({ scopes }: { scopes: readonly string[] }) {
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Code key={scope}>{scope}</Code>
      ))}
    </Group>
  )
}
