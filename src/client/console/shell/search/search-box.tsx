import { Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { Problem } from '../../components/feedback/problem.tsx'
import { type Finding, findingOf, guidesWith, pagesWith } from './findings.ts'

const TYPING_MS = 200
const LENGTH_MAX = 200

/** As it is drawn, not a moment later as dialogs do it. */
const focusAtOnce = (field: HTMLInputElement | null) => field?.focus({ preventScroll: true })

const steps: Record<string, number | undefined> = { ArrowDown: 1, ArrowUp: -1 }

/** A field and what it finds: the arrow keys choose, Enter goes there (a combobox with a list, ARIA 1.2). */
export function SearchBox({ onChosen }: { onChosen: () => void }) {
  const navigate = useNavigate()
  const list = useId()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { findings, isSearching, error } = useFindings(text)
  const current = findings[Math.min(chosen, findings.length - 1)]
  const go = ({ to, isOutside }: Finding) => {
    onChosen()
    if (isOutside) location.assign(to)
    else void navigate(to)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && current && !isSearching) return go(current)
    const step = steps[event.key]
    if (step === undefined || findings.length === 0) return
    event.preventDefault()
    setChosen((now) => (Math.min(now, findings.length - 1) + step + findings.length) % findings.length)
  }
  return (
    <Stack gap="sm">
      <TextInput
        aria-label="Search"
        placeholder="A page, a guide, an application, a URL, any identifier"
        data-autofocus
        ref={focusAtOnce}
        maxLength={LENGTH_MAX}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={press}
        role="combobox"
        aria-expanded={findings.length > 0}
        aria-controls={list}
        aria-activedescendant={current && `${list} ${current.id}`.replaceAll(' ', '-')}
      />
      {error && <Problem error={error} />}
      <div id={list} role="listbox" aria-label="Found" className="findings">
        {findings.map((finding) => (
          <FindingOption
            key={finding.id}
            id={`${list} ${finding.id}`.replaceAll(' ', '-')}
            finding={finding}
            isChosen={finding === current}
            onChoose={() => go(finding)}
          />
        ))}
      </div>
      <Text size="sm" c="dimmed" role="status">
        {wordsOf(text, findings.length, isSearching)}
      </Text>
    </Stack>
  )
}

function wordsOf(text: string, count: number, isSearching: boolean): string {
  if (text.trim() === '')
    return 'Pages, guides, and what is yours are found: evt_ dlv_ msg_ sub_ cli_ key_ and request ids.'
  if (count > 0) return count === 1 ? '1 found' : `${count} found`
  return isSearching ? 'Searching…' : 'No page, no guide and nothing of yours is like this.'
}

/** Pages at once, everything else when the typing has paused. */
function useFindings(text: string) {
  const trpc = useTRPC()
  const wanted = text.trim()
  const [settled] = useDebouncedValue(wanted, TYPING_MS)
  const {
    data = [],
    error,
    isFetching,
  } = useQuery(
    trpc.search.find.queryOptions({ text: settled }, { enabled: settled !== '', placeholderData: keepPreviousData }),
  )
  const guides = useQuery({
    queryKey: ['guides', settled],
    queryFn: () => guidesWith(settled),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  })
  if (wanted === '') return { findings: [], isSearching: false, error: null }
  return {
    findings: [...pagesWith(wanted), ...data.map(findingOf), ...(guides.data ?? [])],
    isSearching: isFetching || guides.isFetching || settled !== wanted,
    error: error ?? guides.error,
  }
}

type FindingOptionProps = { id: string; finding: Finding; isChosen: boolean; onChoose: () => void }

function FindingOption({ id, finding: { kind, title, detail }, isChosen, onChoose }: FindingOptionProps) {
  return (
    <UnstyledButton id={id} role="option" tabIndex={-1} aria-selected={isChosen} className="finding" onClick={onChoose}>
      <Text size="sm" fw={600} className="breakable" component="span">
        {title}
      </Text>
      <Text size="sm" c="dimmed" className="breakable" component="span">
        {kind}
        {detail && ` · ${detail}`}
      </Text>
    </UnstyledButton>
  )
}
