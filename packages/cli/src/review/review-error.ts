import { UsageError } from '../command.ts'

export function reviewError(problem: string): UsageError {
  return new UsageError(`curfew review: ${problem}`)
}
