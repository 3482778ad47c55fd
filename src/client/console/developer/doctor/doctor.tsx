import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { ExplainRequest } from '../requests/explain-request.tsx'
import { CredentialDoctor } from './credential-doctor.tsx'
import { SignatureDoctor } from './signature-doctor.tsx'

export function Doctor() {
  return (
    <Page
      title="Doctor"
      intro="Says what is wrong with a request, a token or a signature. What you paste here goes to the service that issued it, and is not kept."
    >
      <Section title="Requests" intro="Every answer of the API has an X-Request-Id, which says why it was answered so.">
        <ExplainRequest />
      </Section>
      <CredentialDoctor />
      <SignatureDoctor />
    </Page>
  )
}
