import { Stack } from '@mantine/core'
import { useParams } from 'react-router'
import { CodeBlock } from '../../components/code-block.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { useEventTypes } from '../../components/use-event-types.ts'
import { NotFound } from '../../shell/not-found.tsx'

const above = [{ label: 'Events', to: '/developer/events' }]
const pretty = (value: object) => JSON.stringify(value, null, 2)

export function EventTypePage() {
  const query = useEventTypes()
  const { type = '' } = useParams()
  const found = query.data?.find((one) => one.type === type)
  if (query.data && !found) return <NotFound />
  return (
    <Page title={type} above={above} intro={found?.description}>
      <Loaded query={{ ...query, data: found }} lines={4}>
        {({ schema, sample }) => (
          <Stack gap="lg">
            <Section title="Example" intro="The body of a delivery. A receiver ignores fields that it does not know.">
              <CodeBlock code={pretty(sample)} label="Example of the payload" maxHeight={640} />
            </Section>
            <Section title="Schema" intro="JSON Schema, 2020-12">
              <CodeBlock code={pretty(schema)} label="Schema of the payload" />
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}
