import { Anchor, Code, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useApplication } from './application.tsx'

/** Why an application cannot have a key. */
export function NothingForKeys() {
  const { id } = useApplication()
  return (
    <Text inherit>
      All scopes of this application need people who log in, so a key could do nothing. Add a scope that it can use for
      itself in its{' '}
      <Anchor component={Link} to={`/developer/applications/${id}/settings`} inherit>
        settings
      </Anchor>{' '}
      first, such as <Code>channel:read</Code>.
    </Text>
  )
}
