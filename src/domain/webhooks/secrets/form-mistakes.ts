import type { SignedHead } from './sign.ts'

/** What is wrong with a text, by what it looks like: the first that fits. */
type Form = { looks: RegExp; reason: string }

const BASE64 = 'base64, with "+" and "/" and padded with "="'

const secretForms: readonly Form[] = [
  { looks: /^$/, reason: 'The secret is empty.' },
  { looks: /^\s|\s$/, reason: 'The secret has white space or a newline around it.' },
  { looks: /^v1[,=]whsec_/, reason: 'The secret begins with "v1,", as signatures do: it is "whsec_" and base64.' },
  {
    looks: /^v1a?,/,
    reason: 'This is a signature, which begins with "v1,", and not the secret: that is "whsec_" and base64.',
  },
  {
    looks: /^ls[a-z]{1,2}_/,
    reason: 'This is a token, a key or the secret of an application: that of a subscription is "whsec_" and base64.',
  },
  { looks: /^[0-9a-f]{64}$/i, reason: 'The secret is in hexadecimal: it is "whsec_" and base64.' },
  {
    looks: /^whsec_[\w-]*[-_][\w-]*=*$/,
    reason: `The secret is in the base64 of addresses: it is "whsec_" and ${BASE64}.`,
  },
  { looks: /^[A-Za-z0-9+/]{32,86}=*$/, reason: 'The secret lacks the "whsec_" before it.' },
]

/** Why a text is no signing secret. */
export const secretMistake = (secret: string): string =>
  reasonOf(secretForms, secret) ??
  'The secret is not "whsec_" and base64: copy it whole, as it was shown when the subscription was made.'

const identifierForms: readonly Form[] = [
  { looks: /^sub_/, reason: 'webhook-id is the identifier of the subscription: it is that of the event, evt_….' },
  { looks: /^dlv_/, reason: 'webhook-id is the identifier of the delivery: it is that of the event, evt_….' },
]

const timestampForms: readonly Form[] = [
  { looks: /^\d{12,}$/, reason: 'webhook-timestamp is in milliseconds: it is a whole number of seconds since 1970.' },
  {
    looks: /^\d{4}-\d\d-\d\d/,
    reason: 'webhook-timestamp is a date, such as the body has: it is a whole number of seconds since 1970.',
  },
  { looks: /[^\d]/, reason: 'webhook-timestamp is no whole number of seconds since 1970.' },
]

const signatureForms: readonly Form[] = [
  { looks: /whsec_/, reason: 'webhook-signature holds the secret: it is "v1," and what was computed with the secret.' },
  {
    looks: /^(v1[,=:])?(sha256=)?[0-9a-f]{64}\b/i,
    reason: `The signature is in hexadecimal: it is "v1," and ${BASE64}.`,
  },
  { looks: /^v1[=:]/, reason: 'The signature begins with "v1" and another character: it is "v1,", with a comma.' },
  { looks: /[^,],\s*v1,/, reason: 'The signatures are separated by commas: they are separated by spaces.' },
  { looks: /^v1a,/, reason: 'The signature is one of a public key ("v1a"): ours begin with "v1,".' },
  { looks: /^(v1,)?[\w+/-]{43}$/, reason: `The signature lacks its padding: it is "v1," and ${BASE64}.` },
  {
    looks: /^(v1,)?(?=\S*[-_])[\w-]{43}=$/,
    reason: `The signature is in the base64 of addresses: it is "v1," and ${BASE64}.`,
  },
]

/** Why the headers of a delivery cannot be what was sent, whatever the secret. */
export function headMistake({ id, timestamp, signature }: SignedHead): string | undefined {
  return (
    headerMistake('webhook-id', id, identifierForms) ??
    headerMistake('webhook-timestamp', timestamp, timestampForms) ??
    headerMistake('webhook-signature', signature, signatureForms)
  )
}

function headerMistake(name: string, value: string, forms: readonly Form[]): string | undefined {
  if (value === '') return `${name} is empty: pass on the header as it was received.`
  if (value !== value.trim()) return `${name} has white space or a newline around it.`
  return reasonOf(forms, value)
}

const reasonOf = (forms: readonly Form[], text: string) => forms.find(({ looks }) => looks.test(text))?.reason
