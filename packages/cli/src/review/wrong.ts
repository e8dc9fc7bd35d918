import { UsageError } from '../command.ts'

export function wrong(problem: string): UsageError {
  return new UsageError(`curfew review: ${problem}`)
}
