import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { type Outputs, useAccount } from '../../app/session.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Notice } from '../../components/feedback/notice.tsx'
import { useAction } from '../../components/forms/action.ts'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import { isolated } from '../../components/name.tsx'
import { Section } from '../../components/section.tsx'
import { useApplication } from '../applications/application.tsx'
import { Invitations } from './invitations.tsx'
import { Invite } from './invite.tsx'
import { MemberRow } from './member-row.tsx'
import { OfferTransfer } from './offer-transfer.tsx'

export type ApplicationPeople = Outputs['people']['list']

/** Who belongs to an application, and who is asked to. */
export function People() {
  const trpc = useTRPC()
  const { id: application_id } = useApplication()
  const query = useQuery(trpc.people.list.queryOptions({ application_id }))
  return (
    <Loaded query={query}>
      {(people) => (
        <Stack gap="lg" key={application_id}>
          <Offered people={people} />
          <Members people={people} />
          <ForOwner people={people} />
        </Stack>
      )}
    </Loaded>
  )
}

function Members({ people: { members } }: { people: ApplicationPeople }) {
  const { role } = useApplication()
  const [isInviting, setIsInviting] = useState(false)
  return (
    <Section
      title="People"
      intro="Viewers read; developers change everything, keys and secrets too; the owner decides who belongs to it."
      actions={
        role === 'owner' ? (
          <Button leftSection={<Icon shape="plus" />} onClick={() => setIsInviting(true)}>
            Invite somebody
          </Button>
        ) : (
          <Leave />
        )
      }
    >
      <ul className="rows">
        {members.map((member) => (
          <MemberRow key={member.user_id} member={member} />
        ))}
      </ul>
      <Invite isOpen={isInviting} onClose={() => setIsInviting(false)} />
    </Section>
  )
}

function ForOwner({ people: { members, invitations } }: { people: ApplicationPeople }) {
  const { role } = useApplication()
  if (role !== 'owner') return null
  return (
    <>
      <Invitations invitations={invitations} />
      <OfferTransfer members={members} />
    </>
  )
}

/** The owner wants to hand the application to whoever looks. */
function Offered({ people: { invitations } }: { people: ApplicationPeople }) {
  const trpc = useTRPC()
  const { username } = useAccount()
  const { id: application_id, role } = useApplication()
  const { run, isPending } = useAction(trpc.people.acceptTransfer.mutationOptions(), {
    done: 'The application is yours.',
    failed: 'The application was not taken over',
    refresh: [],
  })
  const offer = invitations.find((one) => one.role === 'owner' && one.username === username)
  if (role === 'owner' || !offer) return null
  return (
    <Notice tone="warn" title="This application is offered to you">
      <Stack gap="xs">
        <Text size="sm">
          Once you take it over you own it: it counts for your limits, and its owner becomes a developer. The offer ends{' '}
          <Instant at={offer.expires_at} end="." />
        </Text>
        <Group>
          <Button loading={isPending} onClick={() => void run({ application_id })}>
            Take it over
          </Button>
        </Group>
      </Stack>
    </Notice>
  )
}

function Leave() {
  const trpc = useTRPC()
  const navigate = useNavigate()
  const { id: application_id, name } = useApplication()
  const { run, isPending } = useAction(trpc.people.leave.mutationOptions(), {
    done: `You have left ${isolated(name)}.`,
    failed: 'You have not left',
    refresh: trpc.applications.list.pathKey(),
  })
  const question = {
    title: `Leave ${isolated(name)}?`,
    body: 'You see nothing of it any more, until its owner invites you again.',
    action: 'Leave',
  }
  const leave = async () => {
    if (await run({ application_id }, question)) await navigate('/developer/applications')
  }
  return (
    <Button variant="default" loading={isPending} onClick={() => void leave()}>
      Leave
    </Button>
  )
}
