import { Anchor, Button, Container, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { isSignUpOpen, loginAddress, signUpAddress } from '../app/session.tsx'
import { CodeBlock } from '../components/code-block.tsx'
import { ColorSchemeToggle } from './color-scheme-toggle.tsx'
import { Wordmark } from './wordmark.tsx'

const offers = [
  {
    title: 'Read and act through REST',
    text: 'Channels, categories, live streams, chat and moderation: one API with one way of paging, one kind of error and limits that it tells you about.',
  },
  {
    title: 'OAuth 2.1 for people, keys for servers',
    text: 'Authorization code with PKCE, refresh tokens that rotate, client credentials, and API keys that you can roll without an outage.',
  },
  {
    title: 'Webhooks you can rely on',
    text: 'Signed by Standard Webhooks, sent as it happens, repeated for days, and kept in a ledger in which you see every attempt and send it again.',
  },
  {
    title: 'A studio for streamers',
    text: 'Go live, watch and moderate your chat, and see and end the access of every application that you have allowed.',
  },
]

/** What the platform is, for visitors who are not signed in. Signing in leads back to the address that they asked for. */
export function Landing() {
  const { pathname, search } = useLocation()
  const back = `/console${pathname}${search}`
  useEffect(() => {
    document.title = 'Developer platform'
  }, [])
  return (
    <>
      <Container size="lg" component="header" py="sm">
        <Group justify="space-between" wrap="nowrap">
          <Wordmark />
          <ColorSchemeToggle />
        </Group>
      </Container>
      <Container size="lg" component="main" py="xl">
        <Stack gap={48}>
          <Welcome back={back} isElsewhere={pathname !== '/'} />
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
            {offers.map(({ title, text }) => (
              <Stack gap={6} key={title} component="section" className="offer">
                <Title order={2}>{title}</Title>
                <Text c="dimmed">{text}</Text>
              </Stack>
            ))}
          </SimpleGrid>
          <FirstCall />
        </Stack>
      </Container>
    </>
  )
}

function Welcome({ back, isElsewhere }: { back: string; isElsewhere: boolean }) {
  return (
    <Stack gap="md" maw={720}>
      <Title order={1} className="headline">
        Build on live streams
      </Title>
      <Text size="lg">
        The developer platform of our streaming site: an API, events by webhook, and a console in which to see what
        happens.
      </Text>
      {isElsewhere && <Text fw={600}>Log in to see the page that you have asked for.</Text>}
      <Group>
        <Button component="a" href={loginAddress(back)} size="md">
          Log in
        </Button>
        {isSignUpOpen() && (
          <Button component="a" href={signUpAddress(back)} size="md" variant="default">
            Sign up
          </Button>
        )}
      </Group>
      <Text>
        First a look around? Read the <Anchor href="/docs/guides/">guides</Anchor> or the{' '}
        <Anchor href="/docs/">API reference</Anchor>.
      </Text>
    </Stack>
  )
}

function FirstCall() {
  const code = `curl ${location.origin}/v1/livestreams/ \\
  -H "Authorization: Bearer $API_KEY"`
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>Your first call</Title>
      <Text c="dimmed">
        Log in, create an application and a key, and paste this. The{' '}
        <Anchor href="/docs/guides/quick-start">quick start</Anchor> leads from there to a verified webhook.
      </Text>
      <CodeBlock code={code} label="Your first call" />
    </Stack>
  )
}
