import { createContext } from 'react'
import type { Unsaved } from '../../app/unsaved.ts'

/** The dialog around a form, which asks before it goes when something is held. */
export const LeavingDialog = createContext<{ hold: (unsaved: Unsaved) => () => void } | undefined>(undefined)
