import { useInfiniteQuery } from '@tanstack/react-query'
import { useTRPC } from '../../app/api.ts'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { More } from '../../components/more.tsx'
import { byCursor, itemsOf } from '../../components/pages.ts'
import { Section } from '../../components/section.tsx'
import { SecurityLog } from '../../components/security-log.tsx'
import { useApplication } from './application.tsx'

export function Log() {
  const trpc = useTRPC()
  const { id: application_id } = useApplication()
  const query = useInfiniteQuery(trpc.applications.audit.infiniteQueryOptions({ application_id, limit: 25 }, byCursor))
  return (
    <Section
      title="Security log"
      intro="Changes of the application and its credentials, and who has given it access; kept for 400 days."
    >
      <Loaded query={query}>{(found) => <SecurityLog records={itemsOf(found)} />}</Loaded>
      <More query={query} />
    </Section>
  )
}
