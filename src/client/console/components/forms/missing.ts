/** What is said beside a field that has to be filled in. */
export const FILL_IN = 'Fill this in.'

const sentences = {
  valueMissing: FILL_IN,
  typeMismatch: 'This is not complete: look at its form.',
  patternMismatch: 'This has not the form that is asked for.',
  tooLong: 'This is too long.',
  badInput: 'This could not be read.',
} as const

const byType: Record<string, string> = {
  email: 'Write an email address, such as ada@example.com.',
  url: 'Write a whole address, such as https://example.com.',
}

const hasValidity = (element: Element): element is HTMLInputElement => 'validity' in element

/**
 * What the browser finds missing or misshapen in the fields of a form, by field, in our words: its own are in its own language
 * and vanish.
 */
export function missingIn(form: HTMLFormElement): Record<string, string> {
  const found: Record<string, string> = {}
  for (const element of form.elements) {
    const path = element.getAttribute('data-path')
    if (path === null || !hasValidity(element) || element.validity.valid) continue
    const kind = (Object.keys(sentences) as (keyof typeof sentences)[]).find((name) => element.validity[name])
    const own = kind === 'typeMismatch' ? byType[element.type] : undefined
    if (kind) found[path] ??= own ?? sentences[kind]
  }
  return found
}
