import { Page } from '../components/page.tsx'
import { EmailForm } from './email-form.tsx'
import { PasswordForm } from './password-form.tsx'

export function SignIn() {
  return (
    <Page
      title="Sign-in"
      intro="Your email address and your password. To change either, you need the current password."
    >
      <EmailForm />
      <PasswordForm />
    </Page>
  )
}
