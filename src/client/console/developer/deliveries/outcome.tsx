import { Status } from '../../components/feedback/status.tsx'
import type { Delivery } from './delivery-table.tsx'
import { outcomes } from './outcomes.ts'

export function Outcome({ delivery: { outcome, attempts } }: { delivery: Pick<Delivery, 'outcome' | 'attempts'> }) {
  const { tone, word } = outcomes[outcome]
  return <Status tone={tone}>{outcome === 'pending' && attempts > 0 ? 'Retrying' : word}</Status>
}
