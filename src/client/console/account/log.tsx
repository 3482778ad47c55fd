import { useInfiniteQuery } from '@tanstack/react-query'
import { useTRPC } from '../app/api.ts'
import { Loaded } from '../components/feedback/loaded.tsx'
import { More } from '../components/more.tsx'
import { Page } from '../components/page.tsx'
import { byCursor, itemsOf } from '../components/pages.ts'
import { Section } from '../components/section.tsx'
import { SecurityLog } from '../components/security-log.tsx'

export function AccountLog() {
  const trpc = useTRPC()
  const query = useInfiniteQuery(trpc.account.audit.infiniteQueryOptions({ limit: 25 }, byCursor))
  return (
    <Page
      title="Security log"
      intro="What happened to your account, newest first. If you do not recognise something, change your password: that ends every session and every access."
    >
      <Section title="What happened">
        <Loaded query={query}>{(found) => <SecurityLog records={itemsOf(found)} />}</Loaded>
        <More query={query} />
      </Section>
    </Page>
  )
}
