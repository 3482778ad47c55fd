import { Page } from '../../components/page.tsx'
import { CredentialDoctor } from './credential-doctor.tsx'
import { SignatureDoctor } from './signature-doctor.tsx'

export function Doctor() {
  return (
    <Page
      title="Doctor"
      intro="Says what is wrong with a token or a signature. What you paste here goes to the service that issued it, and is not kept."
    >
      <CredentialDoctor />
      <SignatureDoctor />
    </Page>
  )
}
