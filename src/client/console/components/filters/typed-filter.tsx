import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useAddressFilters } from './use-address-filters.ts'

const TYPING_MS = 400
const LENGTH_MAX = 200

type TypedFilterProps = { name: string; label: string; placeholder?: string; description?: ReactNode }

/** A filter that is typed: it counts once the typing pauses, and shows what the address has where that changes by itself. */
export function TypedFilter({ name, ...input }: TypedFilterProps) {
  const { search, keep } = useAddressFilters()
  const kept = search.get(name) ?? ''
  const [text, setText] = useState(kept)
  const sent = useRef(kept)
  const keepLater = useDebouncedCallback((value: string) => {
    sent.current = value
    keep(name, value)
  }, TYPING_MS)
  useEffect(() => {
    if (kept === sent.current) return
    sent.current = kept
    setText(kept)
  }, [kept])
  useEffect(() => {
    const restore = () => {
      keepLater.cancel()
      sent.current = new URLSearchParams(location.search).get(name) ?? ''
      setText(sent.current)
    }
    addEventListener('popstate', restore) // also of an address that was gone before it was drawn
    return () => removeEventListener('popstate', restore)
  }, [name, keepLater])
  return (
    <TextInput
      {...input}
      value={text}
      maxLength={LENGTH_MAX}
      onChange={({ currentTarget: { value } }) => {
        setText(value)
        keepLater(value.trim())
      }}
    />
  )
}
