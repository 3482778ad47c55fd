import type { UseFormReturnType } from '@mantine/form'
import { useEffect, useRef } from 'react'
import { notifyDone } from '../feedback/notices.tsx'

type Fields = Record<string, unknown>

/** Sends the fields that somebody has changed: what they have not touched may have been changed elsewhere meanwhile. */
export function sendChanged<Values extends Fields>(
  form: UseFormReturnType<Values>,
  values: Values,
  send: (changed: Partial<Values>) => void,
): void {
  const changed = Object.entries(values).filter(([field]) => form.isDirty(field))
  if (changed.length > 0) send(Object.fromEntries(changed) as Partial<Values>)
  else notifyDone('Nothing was changed, so there is nothing to save.')
}

/** Shows what was changed elsewhere in the fields that nobody has touched here. */
export function useFollowing<Values extends Fields>(form: UseFormReturnType<Values>, values: Values): void {
  const text = JSON.stringify(values)
  const last = useRef(text)
  useEffect(() => {
    if (last.current === text) return
    last.current = text
    const now = JSON.parse(text) as Values
    const untouched = Object.keys(now).filter((field) => !form.isDirty(field))
    form.setInitialValues(now)
    for (const field of untouched) form.setFieldValue(field, now[field] as never)
  }, [text, form])
}
