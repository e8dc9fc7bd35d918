import { createInterface } from 'node:readline/promises'
import { interrupt } from './interrupt.ts'

/** Reads a line from the terminal. `null` if input ended without one; Ctrl-C interrupts the process. */
export async function readLine(prompt: string): Promise<string | null> {
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await new Promise((resolve) => {
      const cancel = (): void => resolve(null)
      reader.once('SIGINT', () => {
        reader.off('close', cancel)
        reader.close()
        process.stderr.write('\n')
        interrupt(cancel)
      })
      reader.once('close', cancel)
      reader.question(prompt).then(resolve, () => {})
    })
  } finally {
    reader.close()
  }
}
