import { ScrollArea, Stack, Text } from '@mantine/core'
import { NavLink } from 'react-router'
import { TimeStyleChoice } from './time-style-choice.tsx'

type Place = { label: string; to: string; end?: boolean }

const groups: readonly { title: string; places: readonly Place[] }[] = [
  {
    title: 'Developer',
    places: [
      { label: 'Overview', to: '/developer', end: true },
      { label: 'Applications', to: '/developer/applications' },
      { label: 'Webhooks', to: '/developer/webhooks' },
      { label: 'Deliveries', to: '/developer/deliveries' },
      { label: 'Events', to: '/developer/events' },
      { label: 'Doctor', to: '/developer/doctor' },
      { label: 'Quick start', to: '/developer/quick-start' },
    ],
  },
  {
    title: 'Studio',
    places: [
      { label: 'Live stream', to: '/studio', end: true },
      { label: 'Encoder', to: '/studio/encoder' },
      { label: 'Chat', to: '/studio/chat' },
      { label: 'Overlay', to: '/studio/overlay' },
      { label: 'Bans', to: '/studio/bans' },
    ],
  },
  {
    title: 'Account',
    places: [
      { label: 'Profile', to: '/account', end: true },
      { label: 'Connected applications', to: '/account/connections' },
      { label: 'Sessions', to: '/account/sessions' },
      { label: 'Sign-in', to: '/account/sign-in' },
      { label: 'Security log', to: '/account/log' },
    ],
  },
]

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  return (
    <ScrollArea type="auto" offsetScrollbars="present">
      <Stack gap="md">
        {groups.map(({ title, places }) => (
          <div key={title}>
            <Text size="xs" fw={650} c="dimmed" px="sm" pb={4}>
              {title}
            </Text>
            <ul className="places">
              {places.map(({ label, to, end = false }) => (
                <li key={to}>
                  <NavLink to={to} end={end} className="place" onClick={onNavigate}>
                    {label}
                  </NavLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <Documentation />
        <TimeStyleChoice />
      </Stack>
    </ScrollArea>
  )
}

function Documentation() {
  return (
    <div>
      <Text size="xs" fw={650} c="dimmed" px="sm" pb={4}>
        Documentation
      </Text>
      <ul className="places">
        <li>
          <a className="place" href="/docs/guides/">
            Guides
          </a>
        </li>
        <li>
          <a className="place" href="/docs/">
            API reference
          </a>
        </li>
      </ul>
    </div>
  )
}
