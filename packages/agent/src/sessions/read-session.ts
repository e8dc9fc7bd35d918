import { constants } from 'node:fs'
import { CurfewError } from '@curfew/core'
import { messageOf, parseJson } from '@curfew/core/internal'
import { checkHeader, checkRecord } from './check-record.ts'
import { maxRecordBytes } from './encode-record.ts'
import { maxFileBytes, maxLines } from './record-writer.ts'
import { openOwnFile } from './session-folder.ts'
import type { SessionHeader, SessionRecord } from './session-record.ts'

const lineBreak = 0x0a

export interface SessionContents {
  readonly header: SessionHeader
  readonly records: readonly SessionRecord[]
  /** The size and number of all complete lines. What follows was being written when the process ended. */
  readonly bytes: number
  readonly lines: number
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
  let start = 0
  let line = 1
  for (; ; line++) {
    const end = bytes.indexOf(lineBreak, start)
    if (end < 0) break
    try {
      if (line > maxLines) throw new Error(`expected at most ${maxLines} lines`)
      if (end - start > maxRecordBytes)
        throw new Error(`expected at most ${maxRecordBytes} bytes in a line, got ${end - start}`)
      const value = parseJson(decoder.decode(bytes.subarray(start, end)))
      if (header === null) header = checkHeader(value)
      else {
        const record = checkRecord(value)
        if (record !== null) records.push(record)
      }
    } catch (error) {
      throw invalid(path, line, messageOf(error))
    }
    start = end + 1
  }
  if (header === null)
    throw invalid(path, 1, 'the header is incomplete: the process ended before anything was saved')
  return { header, records, bytes: start, lines: line - 1 }
}

async function readBytes(path: string): Promise<Buffer> {
  const handle = await openOwnFile(path, constants.O_RDONLY)
  try {
    const { size } = await handle.stat()
    if (size > maxFileBytes)
      throw invalid(path, null, `expected at most ${maxFileBytes} bytes, got ${size}; remove it`)
    // Another process may be appending to it, so it is not read to its end.
    const bytes = Buffer.allocUnsafe(size)
    let length = 0
    while (length < size) {
      const { bytesRead } = await handle.read(bytes, length, size - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.subarray(0, length)
  } finally {
    await handle.close()
  }
}

function invalid(path: string, line: number | null, problem: string): CurfewError {
  const field = line === null ? path : `${path}:${line}`
  return new CurfewError('INVALID_OPTION', `${field}: ${problem}`, { field })
}
