import { Menu, Text, UnstyledButton } from '@mantine/core'
import { Link } from 'react-router'
import { useAccount } from '../app/session.tsx'
import { Icon } from '../components/icon.tsx'

export function AccountMenu() {
  const { username } = useAccount()
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className="account-button" aria-label={`Account of ${username}`}>
          <Icon shape="person" />
          <Text component="span" size="sm" fw={600} truncate visibleFrom="xs">
            {username}
          </Text>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="breakable">{username}</Menu.Label>
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
