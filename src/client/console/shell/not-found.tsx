import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { Empty } from '../components/feedback/empty.tsx'
import { Page } from '../components/page.tsx'

export function NotFound() {
  return (
    <Page title="There is nothing here">
      <Empty title="This page does not exist">
        The address may be mistyped, or what it led to was deleted.{' '}
        <Anchor component={Link} to="/developer">
          Go to the overview
        </Anchor>
      </Empty>
    </Page>
  )
}
