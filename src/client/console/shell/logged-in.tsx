import { Anchor, Container, Stack, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { tellOfLogin } from '../app/logins.ts'

/** Where a login ends that another window has asked for. */
export function LoggedIn() {
  useEffect(() => {
    document.title = 'Logged in · Developer console'
    tellOfLogin()
    close()
  }, [])
  return (
    <Container size="xs" py="xl" component="main">
      <Stack>
        <Title order={1}>You are logged in</Title>
        <Text>
          You can close this window and go on in the one before, or <Anchor href="/console/">go on here</Anchor>.
        </Text>
      </Stack>
    </Container>
  )
}
