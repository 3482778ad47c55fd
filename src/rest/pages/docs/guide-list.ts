import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../../project-folder.ts'

/** `file`: where its text is, of those that are no file of docs/guides of their own name. */
export type Guide = { name: string; title: string; about: string; file?: string }

/** The guides in the order in which they are read; each is a file of docs/guides, which is not copied. */
export const guides: readonly Guide[] = [
  { name: 'quick-start', title: 'Quick start', about: 'From nothing to a verified webhook, in five minutes.' },
  { name: 'authentication', title: 'Authentication', about: 'API keys, OAuth 2.1, scopes, refreshing and revoking.' },
  {
    name: 'accounts',
    title: 'Your account',
    about: 'Address, password, second factors, sessions, notices, export and deletion.',
  },
  { name: 'log-in-with-us', title: 'Log in with us', about: 'OpenID Connect, and what libraries are told.' },
  { name: 'devices', title: 'Devices', about: 'Codes for televisions, consoles and command lines.' },
  { name: 'dpop', title: 'Keys instead of secrets', about: 'Signing who you are, and tokens that are bound to a key.' },
  { name: 'webhooks', title: 'Webhooks', about: 'Events, deliveries, and code that verifies them in many languages.' },
  {
    name: 'feed',
    title: 'The feed',
    about: 'The same events without a public address: bots, overlays, jobs that pull.',
  },
  {
    name: 'going-live',
    title: 'Going live',
    about: 'With OBS or another encoder: the server, the key, and what happens when.',
  },
  { name: 'overlays', title: 'Overlays', about: 'Your chat in a browser source, and the keys of overlays.' },
  { name: 'agents', title: 'Agents', about: 'The operations as tools, by the Model Context Protocol.' },
  { name: 'people', title: 'Working together', about: 'Roles in an application, invitations, a new owner.' },
  { name: 'paging', title: 'Paging', about: 'Walking lists, and asking whether something has changed.' },
  { name: 'errors', title: 'Errors', about: 'One shape, every code, and trying again safely.' },
  { name: 'limits', title: 'Limits', about: 'Requests, sizes, numbers and times.' },
  {
    name: 'clients',
    title: 'SDKs, clients and tools',
    about: 'The SDKs for TypeScript and Python, and what is made of the document.',
  },
  { name: 'versioning', title: 'Versioning', about: 'What may change, and what does not.' },
  { name: 'changelog', title: 'Changelog', about: 'What has changed, release by release.', file: 'CHANGELOG.md' },
]

/** The files have this in place of the address of the service. */
const EXAMPLE = 'https://api.example.com'

/** The text of a guide, with the address of this service. */
export const readGuide = ({ name, file = `docs/guides/${name}.md` }: Guide, publicUrl: string): string =>
  readFileSync(join(projectFolder, file), 'utf8').replaceAll(EXAMPLE, publicUrl)
