import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Empty } from '../../components/feedback/empty.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { NewOverlay } from './new-overlay.tsx'
import { OverlayAddress } from './overlay-address.tsx'
import { OverlayRow } from './overlay-row.tsx'

export type Overlay = Outputs['overlays']['list'][number]
/** With its key, which is shown once. */
export type CreatedOverlay = Outputs['overlays']['create']

const intro =
  'Keys with which an overlay, such as a browser source of OBS, shows what happens in your channel. A key can read what you choose, and do nothing.'

export function Overlays() {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const query = useQuery(trpc.overlays.list.queryOptions({}))
  const [isCreating, setIsCreating] = useState(false)
  const [created, setCreated] = useState<CreatedOverlay>()
  const close = () => {
    setCreated(undefined)
    void queries.invalidateQueries({ queryKey: trpc.overlays.pathKey() }) // the preview has used it
  }
  const create = (
    <Button leftSection={<Icon shape="plus" />} onClick={() => setIsCreating(true)}>
      Create overlay key
    </Button>
  )
  return (
    <Page title="Overlay" intro={intro}>
      <Loaded query={query}>
        {(overlays) =>
          overlays.length === 0 ? (
            <Empty title="No overlay yet" action={create}>
              Create a key, copy its address, and paste it into the browser source of your streaming program.
            </Empty>
          ) : (
            <Section
              title="Overlay keys"
              intro="At most ten at a time. Rolling gives a key another address; the one before it stops at once."
              actions={create}
            >
              <ul className="rows">
                {overlays.toReversed().map((overlay) => (
                  <OverlayRow key={overlay.id} overlay={overlay} onRolled={setCreated} />
                ))}
              </ul>
            </Section>
          )
        }
      </Loaded>
      <NewOverlay isOpen={isCreating} onClose={() => setIsCreating(false)} onCreated={setCreated} />
      <OverlayAddress overlay={created} onClose={close} />
    </Page>
  )
}
