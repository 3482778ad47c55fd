import { Button, Collapse } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useId, useState } from 'react'

/** Filters of a list. On a phone they are folded away behind a button that says how many are set. */
export function FilterBar({ set, children }: { set: number; children: ReactNode }) {
  const isNarrow = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false })
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const fields = (
    <search className="filters" aria-label="Filters">
      {children}
    </search>
  )
  if (!isNarrow) return fields
  return (
    <div>
      <Button
        variant="default"
        size="sm"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
        mb="sm"
      >
        {set === 0 ? 'Filters' : `Filters (${set} set)`}
      </Button>
      <Collapse expanded={isOpen} id={id}>
        {fields}
      </Collapse>
    </div>
  )
}
