import { stripVTControlCharacters } from 'node:util'
import { UsageError } from '../command.ts'
import { interrupt } from './interrupt.ts'

/** So that the line never wraps. */
const mostDots = 20
const controlC = '\u0003'
const endOfInput = '\u0004'
const clearAll = '\u0015'
const backspaces = '\u0008\u007f'

/** Reads a line from the terminal without showing it: a dot for each character. `null` if it was given up; Ctrl-C interrupts us. */
export function readMasked(prompt: string): Promise<string | null> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) throw new UsageError('curfew: there is no terminal to ask on')
  // Before the prompt: what is typed or pasted as soon as it appears would be echoed by the terminal.
  stdin.setRawMode(true)
  stderr.write(prompt)
  stdin.resume()
  stdin.setEncoding('utf8')
  return new Promise((resolve) => {
    let typed: string[] = []
    const leave = (): void => {
      stdin.off('data', onData)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
    }
    const end = (value: string | null): void => {
      leave()
      resolve(value)
    }
    const redraw = (): void => {
      stderr.write(`\r\u001b[2K${prompt}${'•'.repeat(Math.min(typed.length, mostDots))}`)
    }
    const onData = (data: string): void => {
      // Arrow keys, and what terminals put around a paste, are not part of it.
      for (const character of stripVTControlCharacters(data)) {
        if (character === '\r' || character === '\n') return end(typed.join(''))
        if (character === endOfInput && typed.length === 0) return end(null)
        if (character === controlC) {
          leave()
          return interrupt(() => resolve(null))
        }
        if (character === clearAll) typed = []
        else if (backspaces.includes(character)) typed.pop()
        else if (character >= ' ') typed.push(character)
      }
      redraw()
    }
    stdin.on('data', onData)
  })
}
