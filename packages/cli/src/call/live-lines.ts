import { neutralise } from '../terminal.ts'

const escapeCharacter = '\u001b'
/** A sequence for the terminal that is longer is none. */
const longestSequence = 64

/** Makes lines of output that comes in pieces: what could steer the terminal is gone, also if it was cut in two. */
export class LiveLines {
  #held = ''
  #line = ''

  /** The lines that are whole now. */
  push(text: string): string {
    const all = this.#held + text
    const cutAt = unfinishedFrom(all)
    this.#held = all.slice(cutAt)
    // A carriage return alone writes over the line; neutralised it would be a line of its own.
    const parts = (this.#line + all.slice(0, cutAt)).replaceAll('\r\n', '\n').split('\n')
    this.#line = lastVersion(parts.pop()!, true)
    return parts.map((line) => `${neutralise(lastVersion(line, false))}\n`).join('')
  }

  /** The beginning of a line that is not whole yet. */
  get partial(): string {
    return neutralise(this.#line.replace(/\r$/, ''))
  }
}

/** What is left of a line that was written over again and again. */
function lastVersion(line: string, mayGoOn: boolean): string {
  const at = line.lastIndexOf('\r')
  if (at < line.length - 1) return line.slice(at + 1)
  // Nothing was written over it yet.
  const before = line.slice(line.lastIndexOf('\r', at - 1) + 1)
  return mayGoOn ? before : before.slice(0, -1)
}

/** Where a sequence begins whose end has not come yet. */
function unfinishedFrom(text: string): number {
  const at = text.lastIndexOf(escapeCharacter)
  if (at < 0 || text.length - at > longestSequence) return text.length
  const rest = text.slice(at + 1)
  // A title ends with a bell; everything else ends with a letter or so.
  const finished = rest.startsWith(']')
    ? rest.includes('\u0007')
    : /^\[?[^@-~[]*[@-~]/.test(rest) && rest !== '['
  return finished ? text.length : at
}
