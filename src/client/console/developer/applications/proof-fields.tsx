import { Anchor, Checkbox, Stack, Textarea } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'

export type ProofValues = { jwks: string; dpop_bound: boolean }

export const noProof: ProofValues = { jwks: '', dpop_bound: false }

type KeySet = Record<string, unknown>

/** The pasted key set, parsed; undefined when it is left empty. The service checks its content. */
export function keySetOf(text: string): KeySet | undefined {
  return text.trim() === '' ? undefined : (JSON.parse(text) as KeySet)
}

/** The fault of a field that should hold a key set, or null. */
export function keySetFault(text: string): string | null {
  try {
    const keySet: unknown = keySetOf(text) ?? {}
    const isObject = typeof keySet === 'object' && keySet !== null && !Array.isArray(keySet)
    return isObject ? null : 'Is no key set: that begins with {"keys": …'
  } catch {
    return 'Is not JSON.'
  }
}

/** For those who want more than a secret: keys of their own, and tokens that are worth nothing to a thief. */
export function ProofFields<Values extends ProofValues>({ form }: { form: UseFormReturnType<Values> }) {
  const [isOpen, setIsOpen] = useState(false)
  const isFaulty = form.errors.jwks !== undefined
  return (
    <details className="more" open={isOpen || isFaulty} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Advanced: own keys, bound tokens</summary>
      <Stack mt="sm">
        <KeySetInput
          description="A confidential application may sign who it is instead of sending a secret (private_key_jwt). Paste the public half of its keys here; leave it empty to get a secret."
          key={form.key('jwks')}
          {...form.getInputProps('jwks')}
        />
        <Checkbox
          label="Bind its tokens to a key (DPoP)"
          description="Whoever uses a token must prove to hold the key it was issued to. This cannot be changed later."
          key={form.key('dpop_bound')}
          {...form.getInputProps('dpop_bound', { type: 'checkbox' })}
        />
        <Anchor href="/docs/guides/dpop" size="sm" w="fit-content">
          The guide to both
        </Anchor>
      </Stack>
    </details>
  )
}

type KeySetInputProps = { description: string; error?: unknown; defaultValue?: string }

export const KeySetInput = ({ error, ...input }: KeySetInputProps) => (
  <Textarea
    label="Public keys (JWKS)"
    placeholder={'{"keys": [{"kty": "EC", "crv": "P-256", "kid": "…", "x": "…", "y": "…"}]}'}
    autosize
    minRows={2}
    maxRows={12}
    spellCheck={false}
    classNames={{ input: 'code-input' }}
    error={error as string}
    {...input}
  />
)
