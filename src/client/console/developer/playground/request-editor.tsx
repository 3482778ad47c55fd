import { Button, Group, SegmentedControl, Stack, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { CodeBlock } from '../../components/code-block.tsx'
import { Problem } from '../../components/feedback/problem.tsx'
import { FILL_IN } from '../../components/forms/missing.ts'
import { Section } from '../../components/section.tsx'
import { Answer } from './answer.tsx'
import { codeOf, compose, faultOfBody, languages, type TypedRequest } from './composed-request.ts'
import type { DescribedOperation, DescribedParameter } from './described-operations.ts'
import { ParameterInput } from './parameter-input.tsx'
import { type StandsFor, useSender } from './use-sender.ts'

type RequestEditorProps = {
  operation: DescribedOperation
  applicationId: string
  standsFor: StandsFor
  typed: TypedRequest
  /** Gets what was typed from what had been typed before. */
  onTyped: (next: (now: TypedRequest) => TypedRequest) => void
}

/** The fields of a request, the request in three languages, and its answer. */
export function RequestEditor({ operation, applicationId, standsFor, typed, onTyped }: RequestEditorProps) {
  const [language, setLanguage] = useState<(typeof languages)[number]>('curl')
  const sender = useSender()
  const request = compose(operation, typed, location.origin)
  const fault = operation.body === undefined ? undefined : faultOfBody(typed.body)
  const [isTried, setIsTried] = useState(false)
  const isMissing = ({ name, isRequired }: DescribedParameter) => isRequired && !typed.values[name]
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setIsTried(true)
    event.currentTarget.querySelector<HTMLElement>('input:invalid')?.focus()
    if (fault || operation.parameters.some(isMissing)) return
    sender.mutate({ request, application_id: applicationId, stands_for: standsFor })
  }
  return (
    <>
      <Section title={operation.summary}>
        <form noValidate onSubmit={send}>
          <Stack>
            {operation.parameters.map((parameter) => (
              <ParameterInput
                key={parameter.name}
                parameter={parameter}
                value={typed.values[parameter.name] ?? ''}
                error={isTried && isMissing(parameter) ? FILL_IN : undefined}
                onChange={(value) => onTyped((now) => ({ ...now, values: { ...now.values, [parameter.name]: value } }))}
              />
            ))}
            {operation.body !== undefined && (
              <Textarea
                label="Body"
                autosize
                minRows={3}
                maxRows={16}
                spellCheck={false}
                classNames={{ input: 'code-input' }}
                value={typed.body}
                error={fault}
                onChange={({ currentTarget: { value: body } }) => onTyped((now) => ({ ...now, body }))}
              />
            )}
            <Group justify="flex-end">
              <Button type="submit" loading={sender.isPending}>
                Send
              </Button>
            </Group>
          </Stack>
        </form>
      </Section>
      {sender.error && <Problem error={sender.error} title="The request was not sent" />}
      {sender.data && <Answer answer={sender.data} />}
      <Section
        title="The same as code"
        intro="With a token in ACCESS_TOKEN; that of this page stays here."
        actions={
          <SegmentedControl
            size="xs"
            aria-label="Language"
            data={[...languages]}
            value={language}
            onChange={(value) => setLanguage(value as typeof language)}
          />
        }
      >
        <CodeBlock code={codeOf(language, request)} label={`The request as ${language}`} />
      </Section>
    </>
  )
}
