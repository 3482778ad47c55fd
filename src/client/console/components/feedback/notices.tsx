import { notifications } from '@mantine/notifications'
import { changeFailureOf } from '../../app/failure.ts'
import { ErrorCode } from './error-code.tsx'

/** A short-lived message that something was done. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'green', withBorder: true, role: 'status' })
}

/** A message that something failed, where no form could show it; it stays until it is closed. */
export function notifyFailed(title: string, error: unknown): void {
  const { code, message, requestId, guide } = changeFailureOf(error)
  const request = requestId === undefined ? '' : ` Request ${requestId}.`
  notifications.show({
    title,
    message: (
      <>
        {message} (<ErrorCode code={code} guide={guide} />){request}
      </>
    ),
    color: 'red',
    withBorder: true,
    autoClose: false,
    role: 'alert',
  })
}
