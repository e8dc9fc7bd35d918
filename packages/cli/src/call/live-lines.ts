import { unfinishedFrom } from '@curfew/core/internal'
import { neutralise } from '../neutralise.ts'

/** Splits output that arrives in chunks into lines, without control sequences, even those split across chunks. */
export class LiveLines {
  #unfinished = ''
  #line = ''

  /** Returns the lines that are now complete. */
  push(text: string): string {
    const all = this.#unfinished + text
    const cutAt = unfinishedFrom(all)
    this.#unfinished = all.slice(cutAt)
    // A lone carriage return overwrites the line; neutralised, it would start a new one.
    const parts = (this.#line + all.slice(0, cutAt)).replaceAll('\r\n', '\n').split('\n')
    this.#line = lastVersion(parts.pop()!, true)
    return parts.map((line) => `${neutralise(lastVersion(line, false))}\n`).join('')
  }

  /** The start of a line that is not complete yet. */
  get partial(): string {
    return neutralise(this.#line.replace(/\r$/, ''))
  }
}

/** The visible part of a line that was overwritten. */
function lastVersion(line: string, isPartial: boolean): string {
  const at = line.lastIndexOf('\r')
  if (at < line.length - 1) return line.slice(at + 1)
  // Nothing has overwritten it yet.
  const before = line.slice(line.lastIndexOf('\r', at - 1) + 1)
  return isPartial ? before : before.slice(0, -1)
}
