import * as z from 'zod'

/** RFC 3339, UTC, milliseconds. PostgreSQL writes it so, hence no step on the way changes it. */
export const Timestamp = z.string().meta({ format: 'date-time', example: '2026-01-02T03:04:05.678Z' })
