import { isTooDeep } from '@curfew/core/internal'
import { checkHeader, checkRecord } from './check-record.ts'
import type { RecordRedactor } from './record-redactor.ts'
import type { SessionHeader, SessionRecord } from './session-record.ts'
import { countValues, describeSize, isWithin, maxLineSize, type SessionSize } from './session-size.ts'
import { shortenItem } from './shorten-item.ts'

export interface EncodedRecord {
  /** With its line break. */
  readonly line: Buffer
  readonly size: SessionSize
}

/**
 * A record as a line of a session file. An item that is too large or too deep is shortened. Throws if that is not enough; every line
 * that it returns can be read.
 */
export function encodeRecord(record: SessionHeader | SessionRecord, redactor: RecordRedactor): EncodedRecord {
  const redacted = redactor.record(record)
  if (record.type === 'session') return encode(checkHeader(redacted))
  const { item } = (redacted ?? {}) as { readonly item?: unknown }
  try {
    return encode(check(redacted, record.type))
  } catch (error) {
    if (typeof item !== 'object' || item === null) throw error
    return encodeShortened(item as Readonly<Record<string, unknown>>, error)
  }
}

/** Throws the original error if shortening does not help. */
function encodeShortened(item: Readonly<Record<string, unknown>>, cause: unknown): EncodedRecord {
  for (const maxLength of [65_536, 4_096, 256]) {
    try {
      return encode(check({ type: 'item', item: shortenItem(item, maxLength) }, 'item'))
    } catch {
      // The next attempt removes more.
    }
  }
  throw cause
}

/** Redacting may have changed anything. */
function check(value: unknown, type: string): SessionRecord {
  const record = checkRecord(value)
  if (record?.type !== type) throw new Error(`${type}: not a valid record after redaction`)
  return record
}

function encode(record: SessionHeader | SessionRecord): EncodedRecord {
  // The line must not be deeper than the reader accepts.
  if (isTooDeep(record)) throw new Error(`${record.type}: nested too deeply`)
  const json = JSON.stringify(record)
  const line = Buffer.from(`${json}\n`)
  const size = { bytes: line.length, lines: 1, values: countValues(json) }
  if (!isWithin(size, maxLineSize)) {
    throw new Error(
      `${record.type}: expected at most ${describeSize(maxLineSize)}, got ${describeSize(size)}`,
    )
  }
  return { line, size }
}
