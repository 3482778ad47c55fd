import { Text } from '@mantine/core'

/** Lets a long path break after a slash. */
export const breakable = (operation: string): string => operation.replaceAll('/', '/\u200b')

/** The route of an operation as the reference has it. */
export function OperationName({ operation }: { operation: string }) {
  return (
    <Text component="span" size="sm" ff="monospace" className="breakable">
      {breakable(operation)}
    </Text>
  )
}
