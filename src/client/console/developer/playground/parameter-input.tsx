import { NativeSelect, TextInput } from '@mantine/core'
import type { DescribedParameter } from './described-operations.ts'

type ParameterInputProps = {
  parameter: DescribedParameter
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

export function ParameterInput({ parameter, value, error, onChange }: ParameterInputProps) {
  const { name, description, isRequired, example, choices } = parameter
  const input = {
    label: name,
    description,
    required: isRequired,
    value,
    error,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  }
  if (choices.length > 0) return <NativeSelect {...input} data={isRequired ? choices : ['', ...choices]} />
  return <TextInput {...input} placeholder={example} autoComplete="off" spellCheck={false} />
}
