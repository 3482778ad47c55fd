import { useSyncExternalStore } from 'react'

type Question = { promise: Promise<boolean>; answer: (isProved: boolean) => void }

const listeners = new Set<() => void>()
let open: Question | undefined

function tell(next: Question | undefined): void {
  open = next
  for (const listen of listeners) listen()
}

/** The question who it is: calls that want to know wait for one answer. */
export const stepUp = {
  /** Resolves to whether the user has proved who they are. */
  ask(): Promise<boolean> {
    if (open) return open.promise
    let answer: Question['answer'] = () => undefined
    const promise = new Promise<boolean>((resolve) => {
      answer = (isProved) => {
        tell(undefined)
        resolve(isProved)
      }
    })
    tell({ promise, answer })
    return promise
  },
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What to answer with, while it is asked. */
export const useStepUpQuestion = (): Question | undefined => useSyncExternalStore(subscribe, () => open)
