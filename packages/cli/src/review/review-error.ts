import { UsageError } from '../command.ts'

export function reviewError(message: string): UsageError {
  return new UsageError(`curfew review: ${message}`)
}
