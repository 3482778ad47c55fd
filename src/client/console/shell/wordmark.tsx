import { Text } from '@mantine/core'
import { Link } from 'react-router'

export function Wordmark() {
  return (
    <Link to="/" className="wordmark">
      <img src="/console/icon.svg" width={24} height={24} alt="" />
      <Text component="span" fw={650}>
        Developer console
      </Text>
    </Link>
  )
}
