import { createInterface } from 'node:readline/promises'
import { interrupt } from './interrupt.ts'

/**
 * Reads a line from the terminal. `null` if input ended without one, or if the signal is aborted; Ctrl-C interrupts the process.
 */
export async function readLine(prompt: string, signal?: AbortSignal): Promise<string | null> {
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  const onAbort = (): void => {
    process.stderr.write('\n')
    reader.close()
  }
  signal?.addEventListener('abort', onAbort)
  try {
    return await new Promise((resolve) => {
      const cancel = (): void => resolve(null)
      reader.once('SIGINT', () => {
        signal?.removeEventListener('abort', onAbort)
        reader.off('close', cancel)
        reader.close()
        process.stderr.write('\n')
        interrupt(cancel)
      })
      reader.once('close', cancel)
      reader.question(prompt).then(resolve, () => {})
    })
  } finally {
    signal?.removeEventListener('abort', onAbort)
    reader.close()
  }
}
