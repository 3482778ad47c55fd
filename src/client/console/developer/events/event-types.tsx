import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Status } from '../../components/feedback/status.tsx'
import { Page } from '../../components/page.tsx'
import { Row } from '../../components/row.tsx'
import { Section } from '../../components/section.tsx'
import { useEventTypes } from '../../components/use-event-types.ts'

export function EventTypes() {
  const query = useEventTypes()
  return (
    <Page
      title="Events"
      intro={
        <>
          Everything that can be subscribed to, with its schema. All schemas as one document:{' '}
          <Anchor href="/events/schemas.json">/events/schemas.json</Anchor>.
        </>
      }
    >
      <Section title="Event types">
        <Loaded query={query} lines={6}>
          {(types) => (
            <ul className="rows">
              {types.map(({ type, description, for_moderators }) => (
                <Row
                  key={type}
                  title={
                    <Anchor component={Link} to={`/developer/events/${type}`} fw={600} ff="monospace" size="sm">
                      {type}
                    </Anchor>
                  }
                  end={for_moderators && <Status tone="warn">For the channel’s owner</Status>}
                >
                  {description}
                </Row>
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
    </Page>
  )
}
