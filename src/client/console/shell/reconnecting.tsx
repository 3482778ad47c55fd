import { Box, Loader } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { client } from '../app/api.ts'
import { useIsReachable } from '../app/connection.ts'
import { Notice } from '../components/feedback/notice.tsx'

const PROBE_MS = 2_000

/** While the service does not answer: says so, tries again, and brings the page up to date once it does. */
export function Reconnecting() {
  const queries = useQueryClient()
  const isReachable = useIsReachable()
  useEffect(() => {
    if (isReachable) return
    const timer = setInterval(() => client.account.me.query({}).catch(() => {}), PROBE_MS)
    return () => {
      clearInterval(timer)
      void queries.invalidateQueries()
    }
  }, [isReachable, queries])
  if (isReachable) return null
  return (
    <Box mb="md">
      <Notice tone="warn" role="status" icon={<Loader size={16} />}>
        The service does not answer. Reconnecting…
      </Notice>
    </Box>
  )
}
