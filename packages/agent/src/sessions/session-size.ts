import { endOfString } from '@curfew/core/internal'

/** Of a session file. */
export interface SessionSize {
  readonly bytes: number
  readonly lines: number
  /** Objects, arrays and their entries: a few bytes each in the file, but up to 80 in memory. */
  readonly values: number
}

/** Images of a long conversation need tens of megabytes. */
export const maxFileSize: SessionSize = { bytes: 64 << 20, lines: 500_000, values: 4_000_000 }

/** Of one line. */
export const maxLineSize: SessionSize = { bytes: 8 << 20, lines: 1, values: 400_000 }

/** Whether a size is within a share of a limit. */
export function isWithin(size: SessionSize, limit: SessionSize, share = 1): boolean {
  return (
    size.bytes <= limit.bytes * share &&
    size.lines <= limit.lines * share &&
    size.values <= limit.values * share
  )
}

export function addSizes(a: SessionSize, b: SessionSize): SessionSize {
  return { bytes: a.bytes + b.bytes, lines: a.lines + b.lines, values: a.values + b.values }
}

/** For error messages. */
export function describeSize({ bytes, lines, values }: SessionSize): string {
  return `${bytes} bytes, ${lines} ${lines === 1 ? 'line' : 'lines'} and ${values} values`
}

/** Counts the values of JSON without parsing it. */
export function countValues(json: string): number {
  let count = 0
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case 0x22:
        at = endOfString(json, at) - 1
        break
      case 0x2c:
      case 0x5b:
      case 0x7b:
        count++
    }
  }
  return count
}
