import { ScrollArea, Stack, Text } from '@mantine/core'
import { NavLink } from 'react-router'
import { groups } from './places.ts'

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  return (
    <ScrollArea type="auto" offsetScrollbars="present" flex={1}>
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
