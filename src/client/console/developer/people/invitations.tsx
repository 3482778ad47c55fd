import { Button } from '@mantine/core'
import { roleDescriptions } from '../../../../shared/roles.ts'
import { useTRPC } from '../../app/api.ts'
import { useAction } from '../../components/forms/action.ts'
import { Instant } from '../../components/instant.tsx'
import { Row } from '../../components/row.tsx'
import { Section } from '../../components/section.tsx'
import { useApplication } from '../applications/application.tsx'
import type { ApplicationPeople } from './people.tsx'

type Invitation = ApplicationPeople['invitations'][number]

/** Whoever was asked and has not answered yet. */
export function Invitations({ invitations }: { invitations: Invitation[] }) {
  if (invitations.length === 0) return null
  return (
    <Section title="Open invitations" intro="A new invitation to the same address replaces the one before.">
      <ul className="rows">
        {invitations.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Section>
  )
}

function InvitationRow({ invitation: { id, role, email, username, expires_at } }: { invitation: Invitation }) {
  const trpc = useTRPC()
  const { id: application_id } = useApplication()
  const { run, isPending } = useAction(trpc.people.revokeInvitation.mutationOptions(), {
    done: 'The invitation is taken back.',
    failed: 'The invitation was not taken back',
    refresh: trpc.people.pathKey(),
  })
  const who = email ?? username ?? ''
  return (
    <Row
      title={who}
      end={
        <Button
          variant="default"
          loading={isPending}
          aria-label={`Take back the invitation of ${who}`}
          onClick={() => void run({ application_id, id })}
        >
          Take back
        </Button>
      }
    >
      {role === 'owner' ? 'To take it over' : roleDescriptions[role].label} · ends <Instant at={expires_at} />
    </Row>
  )
}
