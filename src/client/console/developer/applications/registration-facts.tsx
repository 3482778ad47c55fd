import { Text } from '@mantine/core'
import { grantDescriptions } from '../../../../shared/grants.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { ScopeList } from '../../components/forms/scopes-input.tsx'
import { Name } from '../../components/name.tsx'
import { Section } from '../../components/section.tsx'
import { useApplication } from './application.tsx'

/** What is registered of an application, for whoever may not change it. */
export function RegistrationFacts() {
  const { name, website_url, redirect_uris, scopes, grant_types } = useApplication()
  return (
    <Section title="Registration" intro="Developers and the owner of the application change it.">
      <Facts>
        <Fact name="Name">
          <Name>{name}</Name>
        </Fact>
        <Fact name="Website">
          {website_url === null ? (
            'None'
          ) : (
            <Text size="sm" className="breakable">
              {website_url}
            </Text>
          )}
        </Fact>
        <Fact name="Redirect URIs">
          {redirect_uris.length === 0
            ? 'None'
            : redirect_uris.map((uri) => (
                <Text key={uri} size="sm" className="breakable">
                  {uri}
                </Text>
              ))}
        </Fact>
        <Fact name="Scopes">
          <ScopeList scopes={scopes} />
        </Fact>
        <Fact name="Grants">{grant_types.map((grant) => grantDescriptions[grant].label).join(', ')}</Fact>
      </Facts>
    </Section>
  )
}
