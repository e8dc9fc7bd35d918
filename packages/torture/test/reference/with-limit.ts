import { isMutant } from './mutation.ts'
import { failure, type Outcome } from './outcome.ts'

export interface Limits {
  readonly name: string
  readonly limitMs: number
  readonly signal: AbortSignal
  /** Called when the work ends, even if the call has ended before. */
  readonly onEnd: () => void
}

export interface Clock {
  /** What the call has written, for the error. */
  written: string
  restart(): void
  stop(): void
}

/** Settles with the first of: the work, the limit and the cancel. The signal of the work is aborted if it was not the first. */
export async function withLimit(
  { name, limitMs, signal, onEnd }: Limits,
  work: (signal: AbortSignal, clock: Clock) => Promise<Outcome>,
): Promise<Outcome> {
  if (signal.aborted && !isMutant('ignores-cancel')) return failure('the call was cancelled')
  const controller = new AbortController()
  const ended = Promise.withResolvers<Outcome>()
  const end = (message: string): void => {
    const written = clock.written === '' ? '' : `\nIt had written until then:\n${clock.written}`
    if (!isMutant('waits-for-the-tool')) ended.resolve(failure(message + written))
    if (!isMutant('forgets-to-abort')) controller.abort(new Error(message))
  }
  const atLimit = (): void =>
    end(isMutant('hides-the-limit') ? `${name} timed out` : `${name} timed out after ${limitMs} ms`)
  const onCancel = (): void => end('the call was cancelled')
  let timer: NodeJS.Timeout | undefined
  const clock: Clock = {
    written: '',
    restart() {
      clearTimeout(timer)
      timer = setTimeout(atLimit, toMs(limitMs))
    },
    stop: () => clearTimeout(timer),
  }
  if (!isMutant('no-limit')) clock.restart()
  if (!isMutant('ignores-cancel')) signal.addEventListener('abort', onCancel)
  try {
    const working = work(controller.signal, clock)
    if (isMutant('ends-again')) void working.then(onEnd, onEnd)
    return await Promise.race([ended.promise, working])
  } finally {
    clock.stop()
    signal.removeEventListener('abort', onCancel)
  }
}

function toMs(limitMs: number): number {
  if (isMutant('fixed-limit')) return 1_000
  return isMutant('whole-seconds') ? Math.ceil(limitMs / 1_000) * 1_000 : limitMs
}
