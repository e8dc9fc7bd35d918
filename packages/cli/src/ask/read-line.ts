import { createInterface } from 'node:readline/promises'

/** Reads a line from the terminal. `null` if it was given up. */
export async function readLine(prompt: string): Promise<string | null> {
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await new Promise((resolve) => {
      reader.once('SIGINT', () => resolve(null))
      reader.once('close', () => resolve(null))
      reader.question(prompt).then(resolve, () => resolve(null))
    })
  } finally {
    reader.close()
  }
}
