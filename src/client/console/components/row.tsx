import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

type RowProps = {
  title: ReactNode
  /** At its end: its state, or what can be done with it. */
  end?: ReactNode
  /** What is known of it. */
  children?: ReactNode
}

/** An entry of a list. */
export function Row({ title, end, children }: RowProps) {
  return (
    <li className="row">
      <div className="row-main">
        <Text fw={600} className="breakable" component="div">
          {title}
        </Text>
        {children && (
          <Text size="sm" c="dimmed" component="div">
            {children}
          </Text>
        )}
      </div>
      {end}
    </li>
  )
}
