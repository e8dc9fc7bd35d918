import { readFile, stat } from 'node:fs/promises'
import { isTooDeep, messageOf, parseJson } from '@curfew/core/internal'
import { parseJsonc } from '@curfew/extensions/internal'

export type ReadDocument =
  | { readonly kind: 'document'; readonly document: unknown; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'problem'; readonly problem: string }

/** Large, because Claude Code keeps a history in the same file. */
const maxBytes = 1 << 26

/** Reads an agent's file: JSON, possibly with comments, or TOML. */
export async function readDocument(file: string): Promise<ReadDocument> {
  let text: string
  try {
    const found = await stat(file)
    if (!found.isFile()) return { kind: 'problem', problem: 'is not a file' }
    if (found.size > maxBytes)
      return { kind: 'problem', problem: `expected at most ${maxBytes} bytes, got ${found.size}` }
    text = await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
    return { kind: 'problem', problem: `cannot be read: ${messageOf(error)}` }
  }
  try {
    return { kind: 'document', document: await parseDocument(file, text), text }
  } catch (error) {
    return { kind: 'problem', problem: `cannot be parsed: ${messageOf(error).split('\n', 1)[0]}` }
  }
}

export async function parseDocument(file: string, text: string): Promise<unknown> {
  return file.endsWith('.toml') ? await parseToml(text) : parseLargeJson(text)
}

async function parseToml(text: string): Promise<unknown> {
  const { parse } = await import('smol-toml')
  const document = parse(text)
  if (isTooDeep(document)) throw new Error('it is nested too deeply')
  return document
}

/** Tries `JSON.parse` first, which is much faster: files can be large, and most have no comments. */
function parseLargeJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return parseJsonc(text).value
  }
}
