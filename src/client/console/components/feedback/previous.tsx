import type { ReactNode } from 'react'

/** What stays while something else is on its way: it is not what was asked for, so it is dimmed and cannot be pressed. */
export const Previous = ({ isShown, children }: { isShown: boolean; children: ReactNode }) => (
  <div className="previous" inert={isShown}>
    {children}
  </div>
)
