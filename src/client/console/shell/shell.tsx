import { AppShell, Box, Burger, Group, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, ScrollRestoration, useNavigation } from 'react-router'
import { AccountMenu } from './account-menu.tsx'
import { ColorSchemeToggle } from './color-scheme-toggle.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { Navigation } from './navigation.tsx'
import { Search } from './search/search.tsx'
import { TimeStyleChoice } from './time-style-choice.tsx'
import { useHeadingFocus } from './use-heading-focus.ts'
import { Wordmark } from './wordmark.tsx'

/** What surrounds every page: header, navigation, a notice when the service does not answer, a question before something is lost. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const isLoading = useNavigation().state !== 'idle'
  useHeadingFocus()
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 244, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <AppShell.Header>
        <SkipLink />
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="md" size="sm" aria-label="Navigation" />
            <Wordmark />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Search />
            <ColorSchemeToggle />
            <AccountMenu />
          </Group>
        </Group>
        <Box className="page-progress" data-loading={isLoading || undefined} />
      </AppShell.Header>
      <AppShell.Navbar p="sm" component="nav" aria-label="Console" className="navbar" data-open={isOpen || undefined}>
        <Navigation onNavigate={close} />
        <TimeStyleChoice />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
      <ConnectionNotice />
      <LeaveGuard />
      <ScrollRestoration />
    </AppShell>
  )
}

function SkipLink() {
  return (
    <UnstyledButton component="a" href="#main" className="skip-link">
      Skip to the page
    </UnstyledButton>
  )
}
