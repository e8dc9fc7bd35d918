import { constants } from 'node:os'
import { outputClosed } from '../write.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** As if SIGPIPE had ended the process. */
const closedOutputCode = 128 + 13

export interface Interruption {
  /** Aborted by the first Ctrl-C or termination signal, or when nobody reads the output any more. */
  readonly signal: AbortSignal
  /** The exit code of what interrupted us; `null` if nothing did. */
  exitCode(): number | null
  dispose(): void
}

/**
 * A second signal exits at once; the commands that are still running end with this process. `onInterrupt` is called for Ctrl-C; if it returns
 * true, that was no interruption.
 */
export function watchInterruptions(onInterrupt: () => boolean = () => false): Interruption {
  const controller = new AbortController()
  let exitCode: number | null = null
  const interrupt = (code: number): void => {
    exitCode ??= code
    controller.abort()
  }
  const onSignal = (name: NodeJS.Signals): void => {
    if (name === 'SIGINT' && onInterrupt()) return
    const code = 128 + constants.signals[name]
    if (controller.signal.aborted) process.exit(code)
    interrupt(code)
  }
  const onClosed = (): void => interrupt(closedOutputCode)
  for (const signal of signals) process.on(signal, onSignal)
  outputClosed.addEventListener('abort', onClosed)
  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    dispose() {
      for (const signal of signals) process.off(signal, onSignal)
      outputClosed.removeEventListener('abort', onClosed)
    },
  }
}
