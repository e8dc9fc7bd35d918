import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { messageOf, parseJson } from '@curfew/core/internal'
import { parseJsonc } from '@curfew/extensions/internal'

/** A JSON file with its source, so that findings can name a line. */
export interface JsonDocument {
  /** `null` for standard input. */
  readonly file: string | null
  readonly text: string
  readonly value: unknown
}

/** Far more than any list of tools needs, and small enough to keep its syntax tree in memory. */
const maxBytes = 16 << 20

/** Reads a file, or standard input for `null`. Comments and trailing commas are allowed. Rejects with `UnreadableDocument`. */
export async function readJsonDocument(file: string | null): Promise<JsonDocument> {
  const bytes = file === null ? await readAll(process.stdin) : await readFile(file)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UnreadableDocument('is not JSON: it is not encoded as UTF-8')
  }
  if (text.trim() === '') throw new UnreadableDocument('is empty')
  try {
    return { file, text, value: parse(text) }
  } catch (error) {
    throw new UnreadableDocument(`is not JSON: ${messageOf(error)}`)
  }
}

/** Large lists are plain JSON written by programs, which the built-in parser reads several times faster. */
function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return parseJsonc(text).value
  }
}

/** The message completes a sentence that begins with the file's name. */
export class UnreadableDocument extends Error {
  readonly isMissing: boolean

  constructor(message: string, isMissing = false) {
    super(message)
    this.isMissing = isMissing
  }
}

async function readFile(file: string): Promise<Buffer> {
  try {
    const found = await stat(file)
    if (!found.isFile()) throw new UnreadableDocument('is not a file; use - to read standard input')
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UnreadableDocument('does not exist', true)
    throw new UnreadableDocument(`cannot be read: ${messageOf(error)}`)
  }
  return await readAll(createReadStream(file))
}

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      size += (chunk as Buffer).length
      if (size > maxBytes) throw new UnreadableDocument(`is too large: expected at most ${maxBytes} bytes`)
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error
    throw new UnreadableDocument(`cannot be read: ${messageOf(error)}`)
  }
  return Buffer.concat(chunks)
}
