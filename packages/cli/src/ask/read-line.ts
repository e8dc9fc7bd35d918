import { createInterface } from 'node:readline/promises'
import { interrupt } from './interrupt.ts'

/** Reads a line from the terminal. `null` if it was given up; Ctrl-C interrupts us. */
export async function readLine(prompt: string): Promise<string | null> {
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await new Promise((resolve) => {
      const giveUp = (): void => resolve(null)
      reader.once('SIGINT', () => {
        reader.off('close', giveUp)
        reader.close()
        process.stderr.write('\n')
        interrupt(giveUp)
      })
      reader.once('close', giveUp)
      reader.question(prompt).then(resolve, () => {})
    })
  } finally {
    reader.close()
  }
}
