import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTimeZone } from '../../app/time-style.ts'
import { instantOfText, textOfInstant } from './time-text.ts'

type TimeInputProps = {
  label: string
  /** An instant of RFC 3339; undefined when there is none. */
  value: string | undefined
  onChange: (at: string | undefined) => void
}

/**
 * A moment to type, in the zone in which times are shown. A browser's own field speaks the browser's language, and loses what is
 * half typed when the page is drawn again; this one takes what is written when it is left, or at Enter.
 */
export function TimeInput(props: TimeInputProps) {
  const isUtc = useTimeZone() !== undefined
  return <WrittenTime key={`${props.value} ${isUtc}`} isUtc={isUtc} {...props} />
}

function WrittenTime({ label, value, onChange, isUtc }: TimeInputProps & { isUtc: boolean }) {
  const kept = value === undefined ? '' : textOfInstant(value, isUtc)
  const [text, setText] = useState(kept)
  const [error, setError] = useState<string>()
  const take = () => {
    if (text.trim() === kept) return setError(undefined)
    const at = instantOfText(text, isUtc)
    const isEmpty = text.trim() === ''
    setError(at === undefined && !isEmpty ? 'Write it as 2026-03-03 14:05.' : undefined)
    if (at !== undefined || isEmpty) onChange(at)
  }
  return (
    <TextInput
      label={label}
      description={isUtc ? 'In UTC.' : 'In your local time.'}
      placeholder="2026-03-03 14:05"
      autoComplete="off"
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={take}
      onKeyDown={({ key }) => key === 'Enter' && take()}
      error={error}
    />
  )
}
