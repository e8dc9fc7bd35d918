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

/** How long an open socket may stay silent before the prompt is sent without it. */
const socketTimeoutMs = 3_000

interface ReadOptions {
  readonly signal: AbortSignal
  /** Shows what the run waits for. Returns a function that ends it. */
  readonly track: (what: string) => () => void
  readonly notify: (message: string) => void
}

/** Reads the prompt: the value of `-p`, then standard input if it is not a terminal. `-` and an empty value mean only the latter. */
export async function readPrompt(value: string, options: ReadOptions): Promise<Prompt> {
  const typed = value.trim() === '' || value === '-' ? null : value
  if (process.stdin.isTTY) {
    if (typed === null)
      throw new UsageError("curfew: -p: expected a prompt, as in curfew -p 'What does this project do?'")
    return { typed, input: '' }
  }
  const done = options.track('standard input to end (to use none: < /dev/null)')
  try {
    const input = await readInput(options, typed !== null)
    if (typed === null && input.trim() === '')
      throw new UsageError('curfew: -p: expected a prompt, got an empty standard input')
    return { typed, input }
  } finally {
    done()
  }
}

type InputKind = 'none' | 'socket' | 'other'

/** Standard input may be closed. Programs often start others with a socket that they never write to or end, unlike a shell's pipes. */
function inputKind(): InputKind {
  try {
    return fstatSync(0).isSocket() ? 'socket' : 'other'
  } catch {
    return 'none'
  }
}

async function readInput({ signal, notify }: ReadOptions, isOptional: boolean): Promise<string> {
  const kind = inputKind()
  if (kind === 'none') return ''
  const chunks: Buffer[] = []
  let bytes = 0
  let isSilent = false
  const stop = (): void => void process.stdin.destroy()
  signal.addEventListener('abort', stop, { once: true })
  const onSilence = (): void => {
    isSilent = true
    notify('Nothing arrived on standard input within 3 seconds; it is not used.')
    stop()
  }
  const timer = kind === 'socket' && isOptional ? setTimeout(onSilence, socketTimeoutMs) : undefined
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      clearTimeout(timer)
      bytes += chunk.length
      if (bytes > maxBytes)
        throw new UsageError(
          `curfew: -p: expected at most ${maxBytes >> 20} MiB on standard input; write it to a file, and name the file in the prompt`,
        )
      chunks.push(chunk)
    }
  } catch (error) {
    if (!signal.aborted && !isSilent) throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new UsageError('curfew: -p: expected UTF-8 text on standard input, got other data')
  }
}
