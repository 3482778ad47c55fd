import { Button, Group } from '@mantine/core'

type DialogButtonsProps = { action: string; isPending: boolean; onCancel: () => void }

/** How a form in a dialog ends: it is sent, or left. What is on its way cannot be taken back, so its answer is waited for. */
export const DialogButtons = ({ action, isPending, onCancel }: DialogButtonsProps) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onCancel} disabled={isPending}>
      Cancel
    </Button>
    <Button type="submit" loading={isPending}>
      {action}
    </Button>
  </Group>
)
