import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/**
 * After a change of page the focus is on its heading, which screen readers then read, and from which the keyboard goes on. Among
 * the tabs of a page it stays on the tab.
 */
export function useHeadingFocus(): void {
  const { pathname } = useLocation()
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    if (document.activeElement?.getAttribute('role') === 'tab') return
    document.querySelector<HTMLElement>('#main h1')?.focus({ preventScroll: true })
  }, [pathname])
}
