import { browserNamed } from '../../../shared/browsers.ts'

const SHOWN_LENGTH = 40

/** The browser by its name, or the beginning of whatever was sent instead. */
export const describeBrowser = (userAgent: string | null): string =>
  userAgent ? (browserNamed(userAgent) ?? userAgent.slice(0, SHOWN_LENGTH)) : 'Unknown browser'
