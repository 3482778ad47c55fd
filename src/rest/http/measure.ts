import type { RequestObserver } from './request-record.ts'

/** Hears of each answer: which operation (one of a known few), status, seconds. */
export type RequestMeasure = (operation: string, status: number, seconds: number) => void

/** Measures every request but streams. */
export function measureRequest(measure: RequestMeasure): RequestObserver {
  return ({ operation = '', isStream }, status, durationMs) => {
    if (!isStream) measure(operation, status, durationMs / 1000)
  }
}
