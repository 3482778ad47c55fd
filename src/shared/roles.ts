/** What somebody may be in an application, each more than those before, in words for the console. */
export const roleDescriptions = {
  viewer: { label: 'Viewer', description: 'Reads everything but keys and secrets, and changes nothing' },
  developer: { label: 'Developer', description: 'Changes everything, keys and secrets too, but not who belongs to it' },
  owner: { label: 'Owner', description: 'Decides who belongs to it; deletes it or hands it to somebody else' },
} as const

export type Role = keyof typeof roleDescriptions
/** Whoever belongs to an application that somebody else owns. */
export type MemberRole = Exclude<Role, 'owner'>

export const roles = Object.keys(roleDescriptions) as [Role, ...Role[]]
export const memberRoles = ['viewer', 'developer'] as const satisfies readonly MemberRole[]

/** Whether a role is the wanted one, or more. */
export const isAtLeast = (role: Role, wanted: Role): boolean => roles.indexOf(role) >= roles.indexOf(wanted)
