import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import { atStake } from '../app/unsaved.ts'
import { useConfirm } from '../components/forms/confirm.tsx'

/** Asks before a page is left on which something would be lost: by a link, the back button, a reload, or the window's end. */
export function LeaveGuard() {
  const confirm = useConfirm()
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname && atStake() !== undefined,
  )
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    const question = { title: 'Leave this page?', body: atStake() ?? '', action: 'Leave', stay: 'Stay' }
    const decide = async () => ((await confirm(question)) ? blocker.proceed() : blocker.reset())
    void decide()
  }, [blocker, confirm])
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (atStake() !== undefined) event.preventDefault()
    }
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [])
  return null
}
