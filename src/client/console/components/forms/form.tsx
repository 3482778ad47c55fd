import { VisuallyHidden } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type FormEvent, type ReactNode, use, useEffect, useRef, useState } from 'react'
import { holdPage } from '../../app/unsaved.ts'
import { FormProblem } from './form-problem.tsx'
import { LeavingDialog } from './leaving-dialog.ts'
import { missingIn } from './missing.ts'
import type { Submit } from './submit.ts'

type FormProps<Values> = {
  form: UseFormReturnType<Values>
  submit: Pick<Submit<never>, 'error' | 'isPending'>
  onSubmit: (values: Values) => unknown
  buttons: ReactNode
  children: ReactNode
  /** Whether nothing is lost when it is left, as with a search. */
  isFleeting?: boolean
  className?: string
}

const WORDS = 'What you have typed is not saved, and would be lost.'

/**
 * A form as all of ours are: it says itself what is missing, in the language of the page; moves to the first field that is wrong,
 * whoever found it so; shows what no field is to blame for; and is not left by accident once something is typed.
 */
export function Form<Values extends Record<string, unknown>>(props: FormProps<Values>) {
  const { form, submit, onSubmit, buttons, children, isFleeting = false, className = 'form' } = props
  const element = useRef<HTMLFormElement>(null)
  const refused = useRefusals(form, element)
  useHeld({ isDirty: form.isDirty, isPending: submit.isPending }, isFleeting)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (submit.isPending) return
    refused.expect()
    const missing = missingIn(event.currentTarget)
    if (Object.keys(missing).length > 0) return form.setErrors({ ...form.validate().errors, ...missing })
    form.onSubmit((values) => void onSubmit(values))(event)
  }
  return (
    <form className={className} noValidate ref={element} onSubmit={send}>
      {children}
      <VisuallyHidden role="alert">{refused.words}</VisuallyHidden>
      <FormProblem form={form} error={submit.error} />
      {buttons}
    </form>
  )
}

/** Goes to the first wrong field, once after each time that the form was sent. */
function useRefusals(form: { errors: Record<string, unknown> }, element: { current: HTMLFormElement | null }) {
  const isExpected = useRef(false)
  const [words, setWords] = useState('')
  const { errors } = form
  useEffect(() => {
    const wrong = Object.keys(errors).length
    if (!isExpected.current || wrong === 0) return
    isExpected.current = false
    setWords(wrong === 1 ? 'One field has to be changed.' : `${wrong} fields have to be changed.`)
    firstWrong(element.current)?.focus()
  }, [errors, element])
  const expect = () => {
    isExpected.current = true
    setWords('')
  }
  return { words, expect }
}

function firstWrong(form: HTMLFormElement | null): HTMLElement | null | undefined {
  const wrong = form?.querySelector<HTMLElement>('[aria-invalid="true"], .mantine-InputWrapper-error')
  if (wrong?.matches('[aria-invalid="true"]')) return wrong
  return wrong?.closest('.mantine-InputWrapper-root')?.querySelector<HTMLElement>('input, textarea, select')
}

/** Keeps the page, and the dialog around the form, from being left without a question. */
function useHeld(state: { isDirty: () => boolean; isPending: boolean }, isFleeting: boolean): void {
  const dialog = use(LeavingDialog)
  const current = useRef(state)
  useEffect(() => {
    current.current = state
  })
  useEffect(() => {
    if (isFleeting) return
    const unsaved = {
      isAtStake: () => current.current.isDirty(),
      isOnItsWay: () => current.current.isPending,
      words: WORDS,
    }
    const [letPage, letDialog] = [holdPage(unsaved), dialog?.hold(unsaved)]
    return () => {
      letPage()
      letDialog?.()
    }
  }, [dialog, isFleeting])
}
