import { Tabs } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'

type PartsProps = { label: string; base: string; parts: readonly { label: string; path: string }[] }

/** Parts of a page with addresses of their own, as tabs, which scroll sideways on a narrow screen. */
export function Parts({ label, base, parts }: PartsProps) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const current = pathname.replace(/\/$/, '')
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = list.current?.querySelector(`[data-part="${CSS.escape(current)}"]`)
    tab?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <Tabs value={current} onChange={(to) => to && void navigate(to)}>
      <Tabs.List aria-label={label} className="parts" ref={list}>
        {parts.map(({ label: name, path }) => (
          <Tabs.Tab key={path} value={base + path} data-part={base + path}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  )
}
