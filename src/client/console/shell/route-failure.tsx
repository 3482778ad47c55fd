import { Button, Container, Stack, Text, Title } from '@mantine/core'

/** A page that broke, or whose script could not be loaded: after an update of the service a new load finds the new one. */
export function RouteFailure() {
  return (
    <Container size="xs" py="xl" role="alert">
      <Stack align="flex-start">
        <Title order={1}>This page could not be shown</Title>
        <Text>The console may have been updated, or the connection is gone. Loading the page again usually helps.</Text>
        <Button onClick={() => location.reload()}>Load again</Button>
      </Stack>
    </Container>
  )
}
