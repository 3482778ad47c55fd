import { NativeSelect, SegmentedControl, SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { Empty } from '../../components/feedback/empty.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Page } from '../../components/page.tsx'
import { type Application, CreateApplication } from '../applications/applications.tsx'
import { useDevelopedApplications } from '../use-applications.ts'
import { firstTyped, type TypedRequest } from './composed-request.ts'
import { type ApiDocument, type DescribedOperation, describedOperations } from './described-operations.ts'
import { RequestEditor } from './request-editor.tsx'
import type { StandsFor } from './use-sender.ts'

/** Any operation of the API, called from here. What is chosen is part of the address; what was typed stays while others are chosen. */
export function Playground() {
  const applications = useDevelopedApplications()
  const operations = useQuery({
    queryKey: ['openapi.json'],
    queryFn: loadOperations,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Page
      title="Playground"
      intro="Calls the API as your program would: for you or for one of your applications, with a token that lives for an hour. What you send happens for real."
    >
      <Loaded query={applications}>
        {(found) =>
          found.length === 0 ? (
            <Empty title="First an application" action={<CreateApplication />}>
              A request is made by an application, and you have none yet.
            </Empty>
          ) : (
            <Loaded query={operations}>{(described) => <Choices applications={found} operations={described} />}</Loaded>
          )
        }
      </Loaded>
    </Page>
  )
}

async function loadOperations(): Promise<DescribedOperation[]> {
  const response = await fetch('/openapi.json')
  if (!response.ok) throw new Error(`The document of the API was answered with ${response.status}`)
  return describedOperations((await response.json()) as ApiDocument)
}

const persons: { value: StandsFor; label: string }[] = [
  { value: 'me', label: 'For me' },
  { value: 'application', label: 'For the application' },
]

function Choices({ applications, operations }: { applications: Application[]; operations: DescribedOperation[] }) {
  const [search, setSearch] = useSearchParams()
  const application = applications.find(({ id }) => id === search.get('application')) ?? applications[0]
  const operation = operations.find(({ id }) => id === search.get('operation')) ?? operations[0]
  const standsFor: StandsFor = search.get('for') === 'application' ? 'application' : 'me'
  const choose = (name: string) => (value: string) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        next.set(name, value)
        return next
      },
      { replace: true },
    )
  const [typedOf, setTypedOf] = useState<Record<string, TypedRequest>>({})
  if (!application || !operation) return null
  const typed = typedOf[operation.id] ?? firstTyped(operation)
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  const ofTag = (tag: string) =>
    operations
      .filter((one) => one.tag === tag)
      .map(({ id, method, path }) => ({ value: id, label: `${method} ${path}` }))
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }} className="bottom">
        <NativeSelect
          label="Application"
          data={applications.map(({ id, name }) => ({ value: id, label: name }))}
          value={application.id}
          onChange={({ currentTarget }) => choose('application')(currentTarget.value)}
        />
        <NativeSelect
          label="Operation"
          data={tags.map((group) => ({ group, items: ofTag(group) }))}
          value={operation.id}
          onChange={({ currentTarget }) => choose('operation')(currentTarget.value)}
        />
        <SegmentedControl aria-label="The token stands for" data={persons} value={standsFor} onChange={choose('for')} />
      </SimpleGrid>
      <RequestEditor
        key={`${operation.id} ${application.id} ${standsFor}`}
        operation={operation}
        applicationId={application.id}
        standsFor={standsFor}
        typed={typed}
        onTyped={(next) => setTypedOf((now) => ({ ...now, [operation.id]: next(now[operation.id] ?? typed) }))}
      />
    </>
  )
}
