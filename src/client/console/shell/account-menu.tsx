import { Button, Menu, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useAccount } from '../app/session.tsx'
import { Icon } from '../components/icon.tsx'

export function AccountMenu() {
  const { username, email } = useAccount()
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="subtle" color="gray" px="xs" leftSection={<Icon shape="person" />} className="account-button">
          {username}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Text size="xs" c="dimmed" px="sm" py={6} className="breakable">
          {email}
        </Text>
        <Menu.Item component={Link} to="/account">
          Profile
        </Menu.Item>
        <Menu.Item component={Link} to="/account/sessions">
          Sessions
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item component="a" href="/logout">
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
