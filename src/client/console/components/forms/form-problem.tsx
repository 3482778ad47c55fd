import { Problem } from '../feedback/problem.tsx'

type FormProblemProps = { form: { errors: Record<string, unknown> }; error: unknown }

/** Why a form was refused, when no field is to blame: a field shows its own message. */
export function FormProblem({ form, error }: FormProblemProps) {
  if (!error || Object.keys(form.errors).length > 0) return null
  return <Problem error={error} isChange />
}
