import type { Clock } from '../clock/clock.ts'
import type { Validation } from './compile-schema.ts'

export interface PendingValidation {
  readonly result: Promise<Validation>
  /** Rejects `result` with `error`. */
  cancel(error: Error): void
}

/** Limits an asynchronous validation to `timeoutMs`. */
export function validateInTime(
  clock: Clock,
  validation: Promise<Validation>,
  timeoutMs: number,
  timeoutError: () => Error,
): PendingValidation {
  let cancel: (error: Error) => void = () => {}
  const result = new Promise<Validation>((resolve, reject) => {
    const timer = clock.setTimer(timeoutMs, () => reject(timeoutError()))
    cancel = (error) => {
      clock.clearTimer(timer)
      reject(error)
    }
    validation.then(resolve, reject).finally(() => clock.clearTimer(timer))
  })
  return { result, cancel }
}
