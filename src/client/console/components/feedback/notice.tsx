import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Tone } from './status.tsx'

type NoticeProps = { tone: Tone; title?: ReactNode; icon?: ReactNode; role?: 'alert' | 'status'; children: ReactNode }

/** A framed message that stands out from the page. Screen readers announce it at once only with a role. */
export function Notice({ tone, title, icon, role, children }: NoticeProps) {
  return (
    <Alert variant="outline" className="notice" data-tone={tone} title={title} icon={icon} role={role ?? 'note'}>
      {children}
    </Alert>
  )
}
