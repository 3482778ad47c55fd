import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useNavigate, useOutletContext, useParams } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { Loaded } from '../../components/loaded.tsx'
import { Page } from '../../components/page.tsx'
import { type Application, kindOf } from './applications.tsx'

const above = [{ label: 'Applications', to: '/developer/applications' }]

/** The application that this page is about, for the parts of the page. */
export const useApplication = (): Application => useOutletContext<Application>()

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
            <Parts id={application.id} />
            <Outlet context={application} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Parts({ id }: { id: string }) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const base = `/developer/applications/${id}`
  return (
    <Tabs value={pathname.replace(/\/$/, '')} onChange={(to) => to && void navigate(to)}>
      <Tabs.List aria-label="Parts of the application">
        <Tabs.Tab value={base}>Credentials</Tabs.Tab>
        <Tabs.Tab value={`${base}/keys`}>API keys</Tabs.Tab>
        <Tabs.Tab value={`${base}/settings`}>Settings</Tabs.Tab>
      </Tabs.List>
    </Tabs>
  )
}
