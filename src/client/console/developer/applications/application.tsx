import { useQuery } from '@tanstack/react-query'
import { Outlet, useOutletContext, useParams } from 'react-router'
import { isAtLeast, type Role } from '../../../../shared/roles.ts'
import { useTRPC } from '../../app/api.ts'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Notice } from '../../components/feedback/notice.tsx'
import { Instant } from '../../components/instant.tsx'
import { Page } from '../../components/page.tsx'
import { Parts } from '../../components/parts.tsx'
import { type Application, kindOf } from './applications.tsx'

const above = [{ label: 'Applications', to: '/developer/applications' }]

/** `for`: the least role that gets an answer there; else everybody who belongs to it. */
const parts = [
  { label: 'Credentials', path: '' },
  { label: 'API keys', path: '/keys', for: 'developer' },
  { label: 'Webhooks', path: '/webhooks' },
  { label: 'Usage', path: '/usage' },
  { label: 'Request log', path: '/requests' },
  { label: 'People', path: '/people' },
  { label: 'Security log', path: '/log' },
  { label: 'Settings', path: '/settings' },
] as const

const partsFor = (role: Role) => parts.filter((part) => !('for' in part) || isAtLeast(role, part.for))

/** The application that this page is about, for the parts of the page. */
export const useApplication = (): Application => useOutletContext<Application>()

/** Whether whoever looks at this page may change the application. */
export const useMayDevelop = (): boolean => isAtLeast(useApplication().role, 'developer')

/** One application; its parts have addresses of their own. */
export function ApplicationPage() {
  const trpc = useTRPC()
  const { id = '' } = useParams()
  const query = useQuery(trpc.applications.get.queryOptions({ id }))
  const { name = 'Application', confidential } = query.data ?? {}
  return (
    <Page title={name} above={above} intro={confidential !== undefined && kindOf(confidential)}>
      <Loaded query={query}>
        {(application) => (
          <>
            <StoppedNotice application={application} />
            <Parts
              label="Parts of the application"
              base={`/developer/applications/${application.id}`}
              parts={partsFor(application.role)}
            />
            <Outlet context={application} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function StoppedNotice({ application: { disabled_at } }: { application: Application }) {
  if (disabled_at === null) return null
  return (
    <Notice tone="bad" title="Stopped">
      The operator of the platform stopped this application <Instant at={disabled_at} end="." /> Its tokens, keys and
      secrets are refused, and nothing is sent to its webhooks. Nothing was deleted. Ask the operator what has to
      change.
    </Notice>
  )
}
