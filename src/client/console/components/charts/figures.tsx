import type { ReactNode } from 'react'

/** A few numbers that summarise a page, side by side where there is room. */
export function Figures({ children }: { children: ReactNode }) {
  return <dl className="figures">{children}</dl>
}

export function Figure({ name, hint, children }: { name: string; hint?: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {hint !== undefined && <small>{hint}</small>}
      </dd>
    </div>
  )
}
