import { Anchor, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { useAction } from '../../components/forms/action.ts'
import { Instant } from '../../components/instant.tsx'
import { Section } from '../../components/section.tsx'
import { type Secret, ShownOnce } from '../../components/shown-once.tsx'
import { useApplication, useMayDevelop } from './application.tsx'
import { PublicKeys } from './public-keys.tsx'

type ClientSecret = Outputs['applications']['secrets']['list'][number]

export function Credentials() {
  const { id, jwks, dpop_bound } = useApplication()
  const mayDevelop = useMayDevelop()
  return (
    <>
      <Section title="Client identifier" intro="Public: it may be read by anybody, and names the application in OAuth.">
        <Copyable value={id} label="client identifier" />
      </Section>
      {jwks ? <PublicKeys key={id} jwks={jwks} /> : <SecretsOrNone />}
      {dpop_bound && <BoundTokens />}
      {mayDevelop && <QuickStartLink />}
    </>
  )
}

const QuickStartLink = () => (
  <Text size="sm" c="dimmed">
    See it in action: the{' '}
    <Anchor component={Link} to={`/developer/quick-start?application=${useApplication().id}`} size="sm">
      quick start
    </Anchor>{' '}
    is filled in for this application.
  </Text>
)

function SecretsOrNone() {
  const { confidential } = useApplication()
  const mayDevelop = useMayDevelop()
  if (!confidential) return <NoSecret />
  return mayDevelop ? <Secrets /> : <HiddenSecrets />
}

const HiddenSecrets = () => (
  <Section title="Client secrets">
    <Text size="sm">You are a viewer of this application: its secrets and keys are for its developers.</Text>
  </Section>
)

const BoundTokens = () => (
  <Section title="Tokens bound to a key">
    <Text size="sm">
      Each request with a token of this application needs a proof of the key that the token was issued to (DPoP).{' '}
      <Anchor href="/docs/guides/dpop" size="sm">
        How to make one
      </Anchor>
    </Text>
  </Section>
)

const NoSecret = () => (
  <Section title="No client secret">
    <Text size="sm">
      A public application runs where others can read it, so it has no secret. Its users are protected by PKCE, which
      every login here uses.
    </Text>
  </Section>
)

function Secrets() {
  const trpc = useTRPC()
  const { id } = useApplication()
  const [secret, setSecret] = useState<Secret>()
  const query = useQuery(trpc.applications.secrets.list.queryOptions({ id }))
  const { run, isPending } = useAction(trpc.applications.rotateSecret.mutationOptions(), {
    failed: 'The secret was not rotated',
    refresh: trpc.applications.secrets.pathKey(),
  })
  const rotate = async () => {
    const rotated = await run({ id }, rotation)
    if (!rotated) return
    const { client_secret: value } = rotated.output
    setSecret({ title: 'New client secret', value, hint: 'The one before works for 24 hours.' })
  }
  return (
    <Section
      title="Client secrets"
      intro="Rotating makes a new secret at once; the one before works for another 24 hours, so that your servers can change one after the other."
      actions={
        <Button variant="default" loading={isPending} onClick={() => void rotate()}>
          Rotate secret
        </Button>
      }
    >
      <Loaded query={query} lines={2}>
        {(secrets) =>
          secrets.length === 0 ? (
            <Text size="sm" c="dimmed">
              There is no secret, so the application cannot authenticate. Rotating makes a new one.
            </Text>
          ) : (
            <ul className="rows">
              {secrets.map((one) => (
                <SecretRow key={one.id} secret={one} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />
    </Section>
  )
}

const rotation = {
  title: 'Rotate the client secret?',
  body: 'The current secret stops working after 24 hours. A secret that was rotated out before stops now.',
  action: 'Rotate secret',
}

function SecretRow({ secret: { id: secret_id, last4, created_at, expires_at } }: { secret: ClientSecret }) {
  const trpc = useTRPC()
  const { id } = useApplication()
  const { run, isPending } = useAction(trpc.applications.secrets.revoke.mutationOptions(), {
    done: 'The secret does not work any more.',
    failed: 'The secret was not revoked',
    refresh: trpc.applications.secrets.pathKey(),
  })
  const body = `Whatever uses the secret that ends in ${last4} can no longer authenticate, from this moment.`
  const question = { title: 'Revoke this secret?', body, action: 'Revoke secret' }
  return (
    <li className="row">
      <div className="row-main">
        <Text ff="monospace" size="sm">
          …{last4}
        </Text>
        <Text size="sm" c="dimmed">
          Created <Instant at={created_at} />
          {expires_at && (
            <>
              {' '}
              · stops <Instant at={expires_at} />
            </>
          )}
        </Text>
      </div>
      <Group>
        <Button size="xs" variant="default" loading={isPending} onClick={() => void run({ id, secret_id }, question)}>
          Revoke
        </Button>
      </Group>
    </li>
  )
}
