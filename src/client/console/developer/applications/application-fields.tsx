import { Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { NAME_LENGTH_MAX } from '../../../../shared/limits.ts'
import type { Scope } from '../../components/forms/scopes.ts'
import { ScopesInput } from '../../components/forms/scopes-input.tsx'

export type ApplicationValues = { name: string; website_url: string; redirect_uris: string; scopes: Scope[] }

export const emptyApplication: ApplicationValues = { name: '', website_url: '', redirect_uris: '', scopes: [] }

/** An application, or a key, that may do nothing is a mistake. */
export const atLeastOne = (chosen: readonly unknown[]): string | null =>
  chosen.length === 0 ? 'Choose at least one.' : null

/** The service's name for them in a refusal. */
export const applicationFields = ['name', 'website_url', 'redirect_uris', 'scopes', 'grant_types']

/** One entry per line; empty lines do not count. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The fields of an application that can be set when it is created and changed later. */
export function ApplicationFields<Values extends ApplicationValues>({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <>
      <TextInput
        label="Name"
        description="People see it when they are asked for access."
        required
        maxLength={NAME_LENGTH_MAX}
        autoComplete="off"
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Website"
        description="Where people can look who you are (optional)."
        type="url"
        placeholder="https://"
        key={form.key('website_url')}
        {...form.getInputProps('website_url')}
      />
      <Textarea
        label="Redirect URIs"
        description="One a line, compared character by character; only the port of a loopback address may differ. Leave it empty when nobody logs in through this application."
        placeholder="https://example.com/callback"
        autosize
        minRows={2}
        spellCheck={false}
        key={form.key('redirect_uris')}
        {...form.getInputProps('redirect_uris')}
      />
      <ScopesInput
        label="Scopes"
        description="What it may ask for at most. Choose what it needs: more can be added later."
        words="reach"
        key={form.key('scopes')}
        {...form.getInputProps('scopes')}
      />
    </>
  )
}
