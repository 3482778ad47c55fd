import { TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { WEBHOOK_DESCRIPTION_LENGTH_MAX } from '../../../../shared/limits.ts'
import { checkUrl } from './check-url.ts'

export type WebhookValues = { url: string; event_types: string[]; description: string }

/** What is judged of them before they are sent. */
export const webhookRules = {
  url: checkUrl,
  event_types: (types: readonly string[]) => (types.length === 0 ? 'Choose at least one.' : null),
}

type FieldProps<Values extends WebhookValues> = { form: UseFormReturnType<Values> }

export const WebhookUrl = <Values extends WebhookValues>({ form }: FieldProps<Values>) => (
  <TextInput
    label="URL"
    description="Where we send a POST for each event. It answers with any 2xx within 15 seconds."
    type="url"
    required
    placeholder="https://example.com/hook"
    {...form.getInputProps('url')}
  />
)

export const WebhookDescription = <Values extends WebhookValues>({ form }: FieldProps<Values>) => (
  <TextInput
    label="Description"
    description="For yourself (optional)."
    maxLength={WEBHOOK_DESCRIPTION_LENGTH_MAX}
    {...form.getInputProps('description')}
  />
)
