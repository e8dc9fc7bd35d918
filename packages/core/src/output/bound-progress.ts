import type { Progress } from '../call/progress.ts'
import type { Redactor } from '../secrets/redactor.ts'

const maxMessageLength = 200

/** A bounded copy without secrets: a tool may pass any object, change it later, and make it large. */
export function boundProgress(progress: Progress, redactor: Redactor): Progress {
  const { current, total, message } = Object(progress) as Partial<Progress>
  const number = (value: unknown): number =>
    redactor.text(String(value)) === String(value) ? Number(value) : Number.NaN
  return {
    current: number(current),
    total: total === undefined ? undefined : number(total),
    message: message === undefined ? undefined : redactor.text(String(message)).slice(0, maxMessageLength),
  }
}
