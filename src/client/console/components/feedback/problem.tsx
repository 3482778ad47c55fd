import { Button, Group, Stack, Text } from '@mantine/core'
import { changeFailureOf, failureOf } from '../../app/failure.ts'
import { Icon } from '../icon.tsx'
import { ErrorCode } from './error-code.tsx'
import { Notice } from './notice.tsx'

type ProblemProps = { error: unknown; title?: string; onRetry?: (() => void) | undefined; isChange?: boolean }

/** A failed call: what happened, its code and the request's identifier, and another try where that makes sense. */
export function Problem({ error, title = 'This did not work', onRetry, isChange = false }: ProblemProps) {
  const { code, message, requestId, guide } = isChange ? changeFailureOf(error) : failureOf(error)
  return (
    <Notice tone="bad" title={title} icon={<Icon shape="warning" />} role="alert">
      <Stack gap="xs">
        <Text size="sm">{message}</Text>
        <Group gap="xs">
          <ErrorCode code={code} guide={guide} />
          {requestId !== undefined && (
            <Text size="xs" c="dimmed" className="breakable">
              Request {requestId}
            </Text>
          )}
        </Group>
        {onRetry && (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          </Group>
        )}
      </Stack>
    </Notice>
  )
}
