import { Anchor, List, Text } from '@mantine/core'
import { Copyable } from '../../components/copy.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Section } from '../../components/section.tsx'

/** What is entered into a streaming program beside the key, in the words of OBS. */
export function ServerAddress({ address }: { address: string }) {
  return (
    <Section
      title="Settings of OBS"
      intro={
        <>
          Settings, Stream. How to begin is told by the guide <Anchor href="/docs/guides/going-live">Going live</Anchor>
          .
        </>
      }
    >
      <Facts>
        <Fact name="Service">Custom…</Fact>
        <Fact name="Server">
          <Copyable value={address} label="server address" />
        </Fact>
        <Fact name="Stream key">the one below</Fact>
      </Facts>
      <Text size="sm">Settings, Output, for a picture soon and everywhere:</Text>
      <List size="sm">
        <List.Item>Keyframe interval: 2 s</List.Item>
        <List.Item>Rate control: CBR</List.Item>
        <List.Item>Video encoder: H.264, audio encoder: AAC</List.Item>
      </List>
    </Section>
  )
}
