import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { roleDescriptions } from '../../../../shared/roles.ts'
import { client, useTRPC } from '../../app/api.ts'
import { type Outputs, useAccount } from '../../app/session.tsx'
import { Empty } from '../../components/feedback/empty.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Notice } from '../../components/feedback/notice.tsx'
import { useAction } from '../../components/forms/action.ts'
import { Instant } from '../../components/instant.tsx'
import { isolated } from '../../components/name.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'

type Received = Outputs['people']['invitation']
type Part = { invitation: Received; token: string }

/** Where the link of a mail leads: what is offered, and the buttons that answer it. To look at it changes nothing. */
export function ReceivedInvitation() {
  const [search] = useSearchParams()
  const token = search.get('token') ?? ''
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => client.people.invitation.mutate({ token }),
    enabled: token !== '',
    retry: false,
  })
  return (
    <Page title="Invitation">
      {token === '' ? (
        <Empty title="No invitation">Open the link of the mail: it names the invitation.</Empty>
      ) : (
        <Loaded query={query} lines={3}>
          {(invitation) => <Offer invitation={invitation} token={token} />}
        </Loaded>
      )}
    </Page>
  )
}

function Offer({ invitation, token }: Part) {
  const { application_name, role, invited_by, expires_at, fit } = invitation
  const isTransfer = role === 'owner'
  return (
    <Section
      title={application_name}
      intro={
        <>
          {invited_by ?? 'Somebody whose account is gone'}{' '}
          {isTransfer
            ? 'offers this application to you'
            : `invites you as ${roleDescriptions[role].label.toLowerCase()}`}
          . It ends <Instant at={expires_at} end="." />
        </>
      }
    >
      <Text size="sm">
        {isTransfer
          ? 'Once you take it over you own it: it counts for your limits, and its owner becomes a developer.'
          : `${roleDescriptions[role].description}.`}
      </Text>
      {fit === 'yes' ? <Answers invitation={invitation} token={token} /> : <Unfit invitation={invitation} />}
    </Section>
  )
}

function Unfit({ invitation: { fit, email, username } }: { invitation: Received }) {
  const account = useAccount()
  if (fit === 'unconfirmed')
    return (
      <Notice tone="warn" title="Confirm your address first">
        The invitation went to {email}, which your account has not confirmed.{' '}
        <Anchor component={Link} to="/account/sign-in" size="sm">
          Have the link sent again
        </Anchor>
        , then come back to this page.
      </Notice>
    )
  return (
    <Notice tone="warn" title="It is for another account">
      You are logged in as {account.username}, and the invitation is for{' '}
      {username ?? `the account that has confirmed ${email}`}. <Anchor href="/logout">Log out</Anchor> and open the link
      again with that account, or give yours this address.
    </Notice>
  )
}

function Answers({ invitation: { role, application_name }, token }: Part) {
  const trpc = useTRPC()
  const navigate = useNavigate()
  const outcome = { refresh: trpc.applications.pathKey() }
  const failed = 'The invitation was not accepted'
  const done =
    role === 'owner' ? `${isolated(application_name)} is yours.` : `You belong to ${isolated(application_name)}.`
  const join = useAction(trpc.people.accept.mutationOptions(), { ...outcome, done, failed })
  const takeOver = useAction(trpc.people.acceptTransfer.mutationOptions(), { ...outcome, done, failed })
  const decline = useAction(trpc.people.decline.mutationOptions(), {
    ...outcome,
    done: 'The invitation is declined.',
    failed: 'The invitation was not declined',
  })
  const accept = async () => {
    const joined = await (role === 'owner' ? takeOver : join).run({ token })
    if (joined) await navigate(`/developer/applications/${joined.output.application_id}/people`, { replace: true })
  }
  const refuse = async () => {
    if (await decline.run({ token })) await navigate('/developer/applications', { replace: true })
  }
  return (
    <Stack>
      <Group gap="xs">
        <Button loading={join.isPending || takeOver.isPending} onClick={() => void accept()}>
          {role === 'owner' ? 'Take it over' : 'Accept'}
        </Button>
        <Button variant="default" loading={decline.isPending} onClick={() => void refuse()}>
          Decline
        </Button>
      </Group>
    </Stack>
  )
}
