import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from 'react-router'
import { explanationAddress } from './request-filters.ts'

/** Leads to what a request was answered, and why. */
export function ExplainRequest({ initial = '' }: { initial?: string }) {
  const navigate = useNavigate()
  const form = useForm({ mode: 'uncontrolled', initialValues: { id: initial } })
  return (
    <form className="filters" onSubmit={form.onSubmit(({ id }) => void navigate(explanationAddress(id.trim())))}>
      <TextInput
        label="Request id"
        required
        maxLength={128}
        autoComplete="off"
        spellCheck={false}
        key={form.key('id')}
        {...form.getInputProps('id')}
      />
      <Button type="submit">Explain</Button>
    </form>
  )
}
