import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Notice } from '../../components/feedback/notice.tsx'
import { Page } from '../../components/page.tsx'
import { type Secret, ShownOnce } from '../../components/shown-once.tsx'
import { ServerAddress } from './server-address.tsx'
import { StreamKeySection } from './stream-key.tsx'

export type EncoderSettings = Outputs['streamKeys']['get']

const intro =
  'What OBS and other streaming programs need to send to your channel. While one sends you are live, with the title and the category of last time.'

export function Encoder() {
  const trpc = useTRPC()
  const query = useQuery(trpc.streamKeys.get.queryOptions({}))
  const [secret, setSecret] = useState<Secret>()
  const show = (value: string) => setSecret({ title: 'Your stream key', value, hint: HINT })
  return (
    <Page title="Encoder" intro={intro}>
      <Loaded query={query}>
        {({ server_url, stream_key }) => (
          <>
            {server_url === null ? <NoServer /> : <ServerAddress address={server_url} />}
            <StreamKeySection streamKey={stream_key} onMade={show} />
          </>
        )}
      </Loaded>
      <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />
    </Page>
  )
}

const HINT =
  'Paste it as the stream key of your program. Whoever has it can be seen in your place: never show it on stream.'

function NoServer() {
  return (
    <Notice tone="quiet" title="No address yet">
      Whoever runs this service has named no server for encoders. You can go live by the button of the page Live stream.
    </Notice>
  )
}
