import { constants } from 'node:fs'
import type { CurfewError } from '@curfew/core'
import { invalidOption, messageOf, openOwnFile, parseJson, readRange } from '@curfew/core/internal'
import { checkHeader, checkRecord } from './check-record.ts'
import type { SessionHeader, SessionRecord } from './session-record.ts'
import {
  addSizes,
  countValues,
  describeSize,
  isWithin,
  maxFileSize,
  maxLineSize,
  type SessionSize,
} from './session-size.ts'

const lineBreak = 0x0a

export interface SessionContents {
  readonly header: SessionHeader
  readonly records: readonly SessionRecord[]
  /** Of all complete lines. What follows was being written when the process ended. */
  readonly size: SessionSize
}

/**
 * Reads a session file. A torn last line is ignored, and so are records of types that this release does not know. Throws an error with
 * file and line if anything else is invalid.
 */
export async function readSession(path: string): Promise<SessionContents> {
  return parseSession(await readBytes(path), path)
}

export function parseSession(bytes: Buffer, path: string): SessionContents {
  let header: SessionHeader | null = null
  const records: SessionRecord[] = []
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let size: SessionSize = { bytes: 0, lines: 0, values: 0 }
  for (;;) {
    const end = bytes.indexOf(lineBreak, size.bytes)
    if (end < 0) break
    const line = size.lines + 1
    try {
      const length = end - size.bytes
      if (length > maxLineSize.bytes)
        throw new Error(`expected at most ${maxLineSize.bytes} bytes, got ${length}`)
      const json = decoder.decode(bytes.subarray(size.bytes, end))
      size = addSizes(size, { bytes: length + 1, lines: 1, values: countValues(json) })
      if (!isWithin(size, maxFileSize))
        throw new Error(`expected at most ${describeSize(maxFileSize)} up to here`)
      const value = parseJson(json)
      if (header === null) header = checkHeader(value)
      else {
        const record = checkRecord(value)
        if (record !== null) records.push(record)
      }
    } catch (error) {
      throw invalid(path, line, messageOf(error))
    }
  }
  if (header === null)
    throw invalid(path, 1, 'the header is incomplete: the process ended before anything was saved')
  return { header, records, size }
}

async function readBytes(path: string): Promise<Buffer> {
  const handle = await openOwnFile(path, constants.O_RDONLY)
  try {
    const { size } = await handle.stat()
    if (size > maxFileSize.bytes)
      throw invalid(path, null, `expected at most ${maxFileSize.bytes} bytes, got ${size}; remove it`)
    // Another process may be appending to it, so it is not read to its end.
    return await readRange(handle, 0, size)
  } finally {
    await handle.close()
  }
}

function invalid(path: string, line: number | null, problem: string): CurfewError {
  const field = line === null ? path : `${path}:${line}`
  return invalidOption(field, problem)
}
