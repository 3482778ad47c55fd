import { Anchor, Code } from '@mantine/core'
import { Link } from 'react-router'
import type { Scope } from '../../components/forms/scopes.ts'
import { isolated } from '../../components/name.tsx'
import type { Application } from './applications.tsx'

type MissingScopeProps = { application: Pick<Application, 'id' | 'name'>; scope: Scope }

/** Says which scope an application lacks for what is to be done with it, and leads to where it is added. */
export const MissingScope = ({ application: { id, name }, scope }: MissingScopeProps) => (
  <>
    {isolated(name)} is not registered for the scope <Code>{scope}</Code>. Add it in its{' '}
    <Anchor component={Link} to={`/developer/applications/${id}/settings`} inherit>
      settings
    </Anchor>{' '}
    first.
  </>
)
