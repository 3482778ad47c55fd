import { Button, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Empty } from '../../components/feedback/empty.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Notice } from '../../components/feedback/notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { More } from '../../components/more.tsx'
import { byCursor, itemsOf } from '../../components/pages.ts'
import { Section } from '../../components/section.tsx'
import { type Secret, ShownOnce } from '../../components/shown-once.tsx'
import { useApplication } from './application.tsx'
import { KeyRow } from './key-row.tsx'
import { hasKeyScopes, NewKey } from './new-key.tsx'
import { NothingForKeys } from './nothing-for-keys.tsx'

export type ApiKey = Outputs['applications']['keys']['list']['items'][number]

export function Keys() {
  const trpc = useTRPC()
  const { id, confidential, scopes } = useApplication()
  const [isCreating, setIsCreating] = useState(false)
  const [secret, setSecret] = useState<Secret>()
  const query = useInfiniteQuery(trpc.applications.keys.list.infiniteQueryOptions({ application_id: id }, byCursor))
  const show = (title: string, value: string, hint: string) => setSecret({ title, value, hint })
  const create = hasKeyScopes(scopes) && (
    <Button leftSection={<Icon shape="plus" />} onClick={() => setIsCreating(true)}>
      Create key
    </Button>
  )
  return (
    <Stack gap="lg">
      {!confidential && create && <PublicWarning />}
      <Loaded query={query}>
        {(found) =>
          itemsOf(found).length === 0 ? (
            <Empty title="No API key yet" action={create}>
              {create ? (
                'A key stands for the application itself, without a user. Use it from your server, never from a browser.'
              ) : (
                <NothingForKeys />
              )}
            </Empty>
          ) : (
            <KeyList keys={itemsOf(found)} create={create} onRolled={show} />
          )
        }
      </Loaded>
      <More query={query} />
      <NewKey isOpen={isCreating} onClose={() => setIsCreating(false)} onCreated={show} />
      <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />
    </Stack>
  )
}

const PublicWarning = () => (
  <Notice tone="warn" title="This application is public">
    A key in a browser, a phone or a desktop program is a key in everybody’s hands. Keep keys of this application on a
    server.
  </Notice>
)

type KeyListProps = {
  keys: ApiKey[]
  create: React.ReactNode
  onRolled: (title: string, value: string, hint: string) => void
}

function KeyList({ keys, create, onRolled }: KeyListProps) {
  return (
    <Section
      title="API keys"
      intro={
        <Text size="sm" component="div">
          At most ten at a time. Rolling makes a new key with the same scopes; the old one works for another 24 hours.
          {!create && <NothingForKeys />}
        </Text>
      }
      actions={create}
    >
      <ul className="rows">
        {keys.toReversed().map((key) => (
          <KeyRow key={key.id} apiKey={key} onRolled={onRolled} />
        ))}
      </ul>
    </Section>
  )
}
