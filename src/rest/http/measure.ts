import type { RequestObserver } from './request-record.ts'

/** Called for each answer with the operation (one of a known few), the status and the seconds that it took. */
export type RequestMeasure = (operation: string, status: number, seconds: number) => void

/** Measures every request except streams. */
export function measureRequest(measure: RequestMeasure): RequestObserver {
  return ({ operation = '', isStream }, status, durationMs) => {
    if (!isStream) measure(operation, status, durationMs / 1000)
  }
}
