import { fstatSync } from 'node:fs'
import { UsageError } from '../command.ts'

/** Enough for every model; more is probably a mistake. */
const maxBytes = 4 << 20

export interface Prompt {
  /** What was typed after `-p`; commands and mentions are found only here. `null` if the prompt comes from standard input. */
  readonly typed: string | null
  /** Standard input; empty if there is none. */
  readonly input: string
}

interface ReadOptions {
  readonly signal: AbortSignal
  /** Shows that something is being waited for. Returns a function that ends it. */
  readonly track: (what: string) => () => void
}

/** Reads the prompt: the value of `-p`, then standard input if it is not a terminal. `-` and an empty value mean only the latter. */
export async function readPrompt(value: string, { signal, track }: ReadOptions): Promise<Prompt> {
  const typed = value.trim() === '' || value === '-' ? null : value
  if (process.stdin.isTTY) {
    if (typed === null)
      throw new UsageError("curfew: -p: expected a prompt, as in curfew -p 'What does this project do?'")
    return { typed, input: '' }
  }
  const done = track('standard input to end (to use none: < /dev/null)')
  try {
    const input = hasInput() ? await readInput(signal) : ''
    if (typed === null && input.trim() === '')
      throw new UsageError('curfew: -p: expected a prompt, got an empty standard input')
    return { typed, input }
  } finally {
    done()
  }
}

/** Standard input may be closed. */
function hasInput(): boolean {
  try {
    fstatSync(0)
    return true
  } catch {
    return false
  }
}

async function readInput(signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const stop = (): void => void process.stdin.destroy()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes)
        throw new UsageError(
          `curfew: -p: expected at most ${maxBytes >> 20} MiB on standard input; write it to a file, and name the file in the prompt`,
        )
      chunks.push(chunk)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new UsageError('curfew: -p: expected UTF-8 text on standard input, got other data')
  }
}
