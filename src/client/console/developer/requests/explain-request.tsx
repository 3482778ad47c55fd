import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from 'react-router'
import { Form } from '../../components/forms/form.tsx'
import { explanationAddress } from './request-filters.ts'

/** Nothing is asked of the service here: the page that it leads to does that. */
const nothingSent = { error: null, isPending: false }

/** Leads to what a request was answered, and why. */
export function ExplainRequest({ initial = '' }: { initial?: string }) {
  const navigate = useNavigate()
  const form = useForm({ mode: 'uncontrolled', initialValues: { id: initial } })
  return (
    <Form
      form={form}
      submit={nothingSent}
      onSubmit={({ id }) => navigate(explanationAddress(id.trim()))}
      className="filters"
      isFleeting
      buttons={<Button type="submit">Explain</Button>}
    >
      <TextInput
        label="Request id"
        required
        maxLength={128}
        autoComplete="off"
        spellCheck={false}
        key={form.key('id')}
        {...form.getInputProps('id')}
      />
    </Form>
  )
}
