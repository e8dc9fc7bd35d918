import { messageOf } from '@curfew/core/internal'
import { ServerMessageError } from './message-intake.ts'

/** For the log. */
const maxLength = 300

/** Formats a problem that a transport or the SDK reports outside of a request as one short line. */
export function describeProblem(error: Error): string {
  const message = messageOf(error)
  // The SDK quotes whole messages as JSON after a colon.
  const text = error instanceof ServerMessageError ? message : message.replace(/: [{[].*$/s, '')
  return text.replace(/\s+/g, ' ').slice(0, maxLength)
}
