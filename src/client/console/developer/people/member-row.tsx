import { Button, Group, NativeSelect } from '@mantine/core'
import { type MemberRole, memberRoles, roleDescriptions } from '../../../../shared/roles.ts'
import { useTRPC } from '../../app/api.ts'
import { useAccount } from '../../app/session.tsx'
import { useAction } from '../../components/forms/action.ts'
import { Instant } from '../../components/instant.tsx'
import { Row } from '../../components/row.tsx'
import { useApplication } from '../applications/application.tsx'
import type { ApplicationPeople } from './people.tsx'

export type Member = ApplicationPeople['members'][number]

export const roleChoices = memberRoles.map((value) => ({ value, label: roleDescriptions[value].label }))

/** Somebody who belongs to an application; the owner changes what others may. */
export function MemberRow({ member }: { member: Member }) {
  const { role } = useApplication()
  const account = useAccount()
  const { user_id, username, joined_at } = member
  return (
    <Row
      title={`${username}${user_id === account.id ? ' (you)' : ''}`}
      end={role === 'owner' && member.role !== 'owner' && <Changes member={member} />}
    >
      {roleDescriptions[member.role].label}
      {joined_at && (
        <>
          {' '}
          · since <Instant at={joined_at} />
        </>
      )}
    </Row>
  )
}

function Changes({ member: { user_id, username, role } }: { member: Member }) {
  const trpc = useTRPC()
  const { id: application_id } = useApplication()
  const refresh = trpc.people.pathKey()
  const change = useAction(trpc.people.changeRole.mutationOptions(), {
    done: `${username} has another role now.`,
    failed: 'The role was not changed',
    refresh,
  })
  const remove = useAction(trpc.people.remove.mutationOptions(), {
    done: `${username} does not belong to it any more.`,
    failed: 'Nobody was taken out',
    refresh,
  })
  const question = {
    title: `Take ${username} out?`,
    body: 'They see nothing of this application any more, from this moment. Keys and secrets that they know go on working: roll those, and rotate the client secret.',
    action: 'Take out',
  }
  return (
    <Group gap="xs">
      <NativeSelect
        aria-label={`Role of ${username}`}
        data={roleChoices}
        value={role}
        disabled={change.isPending}
        onChange={({ currentTarget }) =>
          void change.run({ application_id, user_id, role: currentTarget.value as MemberRole })
        }
      />
      <Button
        variant="default"
        loading={remove.isPending}
        aria-label={`Take ${username} out`}
        onClick={() => void remove.run({ application_id, user_id }, question)}
      >
        Take out
      </Button>
    </Group>
  )
}
