import { type MouseEvent, useEffect, useRef, useState } from 'react'

export type CopyState = 'idle' | 'copied' | 'failed'

const SHOWN_MS = 2_000
const FAILURE_SHOWN_MS = 8_000

/** Copies a text at the press of a button, and says for a while what came of it. */
export function useCopy(value: string) {
  const [state, setState] = useState<CopyState>('idle')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async ({ currentTarget }: MouseEvent<HTMLElement>): Promise<void> => {
    const isCopied = (await isTaken(value)) || isCopiedByCommand(value, currentTarget)
    setState(isCopied ? 'copied' : 'failed')
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setState('idle'), isCopied ? SHOWN_MS : FAILURE_SHOWN_MS)
  }
  return { state, copy }
}

/** Browsers have a clipboard on https and on loopback alone, and may refuse it. */
async function isTaken(value: string): Promise<boolean> {
  try {
    if (!navigator.clipboard) return false
    await navigator.clipboard.writeText(value)
    return true
  } catch {
    return false
  }
}

/** The way of before, which works on plain http as well. The field stands beside the button: a dialog keeps the focus inside. */
function isCopiedByCommand(value: string, beside: HTMLElement): boolean {
  const field = document.createElement('textarea')
  field.value = value
  field.className = 'visually-hidden'
  field.setAttribute('aria-hidden', 'true')
  beside.after(field)
  field.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    field.remove()
    beside.focus()
  }
}
