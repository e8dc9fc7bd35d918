import { stripVTControlCharacters } from 'node:util'
import { UsageError } from '../command.ts'
import { interrupt } from './interrupt.ts'

/** Keeps the line from wrapping. */
const maxDots = 20
const controlC = '\u0003'
const endOfInput = '\u0004'
const clearAll = '\u0015'
const backspaces = '\u0008\u007f'

/**
 * Reads a line from the terminal, showing a dot per character. `null` if input ended without one, or if the signal is aborted; Ctrl-C
 * interrupts the process.
 */
export function readMasked(prompt: string, signal?: AbortSignal): Promise<string | null> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) throw new UsageError('curfew: a terminal is required to enter a secret')
  // Before the prompt, so that the terminal does not echo a paste that follows it immediately.
  stdin.setRawMode(true)
  stderr.write(prompt)
  stdin.resume()
  stdin.setEncoding('utf8')
  return new Promise((resolve) => {
    let typed: string[] = []
    const restore = (): void => {
      stdin.off('data', onData)
      signal?.removeEventListener('abort', onAbort)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
    }
    const end = (value: string | null): void => {
      restore()
      resolve(value)
    }
    const onAbort = (): void => end(null)
    const redraw = (): void => {
      stderr.write(`\r\u001b[2K${prompt}${'•'.repeat(Math.min(typed.length, maxDots))}`)
    }
    const onData = (data: string): void => {
      // Strips arrow keys and the brackets around a paste.
      for (const character of stripVTControlCharacters(data)) {
        if (character === '\r' || character === '\n') return end(typed.join(''))
        if (character === endOfInput && typed.length === 0) return end(null)
        if (character === controlC) {
          restore()
          return interrupt(() => resolve(null))
        }
        if (character === clearAll) typed = []
        else if (backspaces.includes(character)) typed.pop()
        else if (character >= ' ') typed.push(character)
      }
      redraw()
    }
    stdin.on('data', onData)
    signal?.addEventListener('abort', onAbort)
  })
}
