import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { messageOf, parseJson } from '@curfew/core/internal'

/** A file of JSON with its text, so that places in it can be named. */
export interface JsonDocument {
  /** `null` for standard input. */
  readonly file: string | null
  readonly text: string
  readonly value: unknown
}

/** More than any list of tools; a mistake such as a log or a picture should not fill the memory. */
const maxBytes = 64 << 20

/** Reads a file, or standard input for `null`. Rejects with an `UnreadableDocument` that says what is wrong. */
export async function readJsonDocument(file: string | null): Promise<JsonDocument> {
  const bytes = file === null ? await readAll(process.stdin) : await readFile(file)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UnreadableDocument('is not JSON: it is not UTF-8 text')
  }
  if (text.trim() === '') throw new UnreadableDocument('is empty')
  try {
    return { file, text, value: parseDocument(text) }
  } catch (error) {
    throw new UnreadableDocument(`is not JSON: ${messageOf(error)}`)
  }
}

/** The mark that some editors put first belongs to the file, and not to the JSON in it. */
export function parseDocument(text: string): unknown {
  return parseJson(text.replace(/^\uFEFF/, ''))
}

/** The message follows the name of the file. */
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
    if (!found.isFile()) throw new UnreadableDocument('is not a file; - reads standard input')
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new UnreadableDocument('is not there', true)
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
      if (size > maxBytes)
        throw new UnreadableDocument(`has more than ${maxBytes} bytes, which is the most`)
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error
    throw new UnreadableDocument(`cannot be read: ${messageOf(error)}`)
  }
  return Buffer.concat(chunks)
}
