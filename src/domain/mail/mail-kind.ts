import type { MailText } from '../core/context.ts'

/** Notices that a user may switch off, each by its name. They go to verified addresses alone. */
export const mailSwitches = ['webhook_notices', 'key_notices'] as const
export type MailSwitch = (typeof mailSwitches)[number]

/** A kind of mail: what it says about the values that it is queued with, and the switch that turns it off if there is one. */
export type MailKind<Values> = { text: (values: Values) => MailText; switch?: MailSwitch }
