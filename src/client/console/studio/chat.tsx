import { useAccount } from '../app/session.tsx'
import { Live } from '../components/feedback/live.tsx'
import { Loaded } from '../components/feedback/loaded.tsx'
import { Page } from '../components/page.tsx'
import { Section } from '../components/section.tsx'
import { Composer } from './composer.tsx'
import { Messages } from './messages.tsx'
import { useRoom } from './use-room.ts'

/** The live chat of the user's own room. */
export function Chat() {
  const { username } = useAccount()
  const room = useRoom(username)
  return (
    <Page title="Chat" intro="Your room. You can delete any message in it, and ban who wrote it.">
      <Section title={username} actions={<Live status={room.stream} />}>
        <Loaded query={room.query} lines={5}>
          {() => <Messages room={room} />}
        </Loaded>
        <Composer onSend={room.send} />
      </Section>
    </Page>
  )
}
