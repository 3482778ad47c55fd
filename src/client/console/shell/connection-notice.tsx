import { Loader } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { client } from '../app/api.ts'
import { useConnection } from '../app/connection.ts'

const PROBE_MS = 2_000

const probe = () => void client.account.me.query({}).catch(() => {})

/**
 * Says, above everything, that the service is slow or does not answer; tries again, and brings the page up to date once it does.
 * Nothing that failed meanwhile is sent again.
 */
export function ConnectionNotice() {
  const queries = useQueryClient()
  const connection = useConnection()
  const isAway = connection === 'away'
  useEffect(() => {
    addEventListener('offline', probe)
    addEventListener('online', probe)
    return () => {
      removeEventListener('offline', probe)
      removeEventListener('online', probe)
    }
  }, [])
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(probe, PROBE_MS)
    return () => {
      clearInterval(timer)
      void queries.invalidateQueries()
    }
  }, [isAway, queries])
  return (
    <div className="connection" role="status" data-state={connection}>
      {connection !== 'good' && (
        <p>
          <Loader size={16} color="currentcolor" />
          <span>{isAway ? wordsOfAbsence() : 'The service is slow to answer. Still waiting…'}</span>
        </p>
      )}
    </div>
  )
}

const wordsOfAbsence = () =>
  navigator.onLine ? 'The service does not answer. Reconnecting…' : 'You are offline. Reconnecting…'
