import { Anchor, Code, NativeSelect, SegmentedControl, SimpleGrid } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { grantDescriptions } from '../../../../shared/grants.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { Empty } from '../../components/feedback/empty.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { isolated } from '../../components/name.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { type Application, CreateApplication } from '../applications/applications.tsx'
import { MissingScope } from '../applications/missing-scope.tsx'
import { useDevelopedApplications } from '../use-applications.ts'
import { authorization, clientCredentials, type Filling, firstCall, type Snippet, subscription } from './snippets.ts'

const languages = ['curl', 'TypeScript', 'Python'] as const
type Language = (typeof languages)[number]

export function QuickStart() {
  const applications = useDevelopedApplications()
  return (
    <Page
      title="Quick start"
      intro="Ready to paste, filled in for your application. Secrets are shown once and are not in here: put them into the environment."
    >
      <Loaded query={applications}>
        {(found) =>
          found.length === 0 ? (
            <Empty title="First an application" action={<CreateApplication />}>
              The snippets are filled in for one of yours, and you have none yet.
            </Empty>
          ) : (
            <Snippets applications={found} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Snippets({ applications }: { applications: Application[] }) {
  const [search, setSearch] = useSearchParams()
  const [language, setLanguage] = useState<Language>('curl')
  const application = applications.find(({ id }) => id === search.get('application')) ?? applications[0]
  if (!application) return null
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} className="bottom">
        <NativeSelect
          label="Application"
          data={applications.map(({ id, name }) => ({ value: id, label: name }))}
          value={application.id}
          onChange={({ currentTarget }) => setSearch({ application: currentTarget.value })}
        />
        <SegmentedControl
          aria-label="Language"
          data={[...languages]}
          value={language}
          onChange={(value) => setLanguage(value as Language)}
        />
      </SimpleGrid>
      <Steps application={application} language={language} />
    </>
  )
}

function Steps({ application, language }: { application: Application; language: Language }) {
  const { id, confidential, redirect_uris, scopes } = application
  const redirectUri = redirect_uris[0] ?? 'http://127.0.0.1:4000/callback'
  const receiverUrl = isOwnMachine ? 'http://127.0.0.1:4000/webhooks' : 'https://receiver.example/webhooks'
  const filling: Filling = { baseUrl: location.origin, clientId: id, redirectUri, receiverUrl }
  const show = (snippets: Snippet[], label: string) => (
    <CodeBlock code={snippets.find((one) => one.language === language)?.code ?? ''} label={label} />
  )
  return (
    <>
      <Section
        title="Call the API with a key"
        intro={
          scopes.includes('livestream:read') ? (
            <>
              Make a key with the scope <Code>livestream:read</Code> under{' '}
              <Anchor component={Link} to={`/developer/applications/${id}/keys`} size="sm">
                API keys
              </Anchor>{' '}
              and keep it in API_KEY.
            </>
          ) : (
            <MissingScope application={application} scope="livestream:read" />
          )
        }
      >
        {show(firstCall(filling), 'Call with a key')}
      </Section>
      {confidential && (
        <Section title="Get a token for the application itself" intro="It lives for an hour.">
          {show(clientCredentials(filling), 'Token for the application')}
        </Section>
      )}
      <Section title="Let a person log in" intro={<LoginHint application={application} />}>
        {show(authorization(filling), 'Address of the login')}
      </Section>
      <Section title="Receive events" intro={<EventsHint application={application} />}>
        {show(subscription(filling), 'Subscribe to events')}
      </Section>
    </>
  )
}

function LoginHint({ application }: { application: Application }) {
  const { id, name, redirect_uris, scopes, grant_types } = application
  if (!scopes.includes('user:read')) return <MissingScope application={application} scope="user:read" />
  if (redirect_uris.length > 0 && !grant_types.includes('authorization_code')) {
    return (
      <>
        {isolated(name)} is not registered for the grant “{grantDescriptions.authorization_code.label}”. Add it in its{' '}
        <Anchor component={Link} to={`/developer/applications/${id}/settings`} size="sm">
          settings
        </Anchor>{' '}
        first.
      </>
    )
  }
  if (redirect_uris.length > 0) {
    return (
      <>
        Send the person there. They come back with a code, which you exchange at /oauth/token with the verifier: the
        guide to{' '}
        <Anchor href="/docs/guides/authentication" size="sm">
          authentication
        </Anchor>{' '}
        has the rest.
      </>
    )
  }
  return (
    <>
      The application has no redirect URI yet: add one in its{' '}
      <Anchor component={Link} to={`/developer/applications/${id}/settings`} size="sm">
        settings
      </Anchor>
      .
    </>
  )
}

/** Outside of development only public receivers are called, over https. */
const isOwnMachine = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)

const EventsHint = ({ application }: { application: Application }) => (
  <>
    {application.scopes.includes('webhook:write') ? (
      <>
        The key needs the scope <Code>webhook:write</Code>.
      </>
    ) : (
      <MissingScope application={application} scope="webhook:write" />
    )}{' '}
    {isOwnMachine
      ? 'At this address listens the receiver of the'
      : 'Put the address of your receiver here, such as that of the'}{' '}
    <Anchor href="/docs/guides/quick-start" size="sm">
      quick start guide
    </Anchor>
    . Or subscribe{' '}
    <Anchor component={Link} to="/developer/webhooks/new" size="sm">
      here in the console
    </Anchor>
    . The guide to{' '}
    <Anchor href="/docs/guides/webhooks" size="sm">
      webhooks
    </Anchor>{' '}
    shows how a receiver verifies signatures, in many languages.
  </>
)
