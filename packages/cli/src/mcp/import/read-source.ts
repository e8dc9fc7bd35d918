import { isTooDeep, messageOf, parseJson, readSmallFile } from '@curfew/core/internal'
import { type DuplicateKey, parseJsonc } from '@curfew/extensions/internal'

export type ReadDocument =
  | {
      readonly kind: 'document'
      readonly document: unknown
      readonly text: string
      /** Keys that occur more than once in their object; the last one is used. Unknown for a large file. */
      readonly duplicateKeys: readonly DuplicateKey[]
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'problem'; readonly problem: string }

/** Large, because Claude Code keeps a history in the same file. */
const maxBytes = 1 << 26
const maxCheckedLength = 1 << 20

/** Reads an agent's file: JSON, possibly with comments, or TOML. */
export async function readDocument(file: string): Promise<ReadDocument> {
  let text: string
  try {
    text = readSmallFile(file, maxBytes)?.toString() ?? ''
  } catch (error) {
    return { kind: 'problem', problem: messageOf(error) }
  }
  // Editors create files that are empty.
  if (text.trim() === '') return { kind: 'missing' }
  try {
    return { kind: 'document', text, ...(await parseText(file, text)) }
  } catch (error) {
    return { kind: 'problem', problem: `cannot be parsed: ${messageOf(error).split('\n', 1)[0]}` }
  }
}

export async function parseDocument(file: string, text: string): Promise<unknown> {
  return (await parseText(file, text)).document
}

interface ParsedText {
  readonly document: unknown
  readonly duplicateKeys: readonly DuplicateKey[]
}

async function parseText(file: string, text: string): Promise<ParsedText> {
  if (file.endsWith('.toml')) return { document: await parseToml(text), duplicateKeys: [] }
  return text.length > maxCheckedLength ? parseLargeJson(text) : parseSmallJson(text)
}

async function parseToml(text: string): Promise<unknown> {
  const { parse } = await import('smol-toml')
  const document = parse(text.replace(/^\uFEFF/, ''))
  if (isTooDeep(document)) throw new Error('it is nested too deeply')
  return document
}

/** Tries `JSON.parse` first, which is much faster: most large files have no comments. */
function parseLargeJson(text: string): ParsedText {
  try {
    return { document: parseJson(text), duplicateKeys: [] }
  } catch {
    return parseSmallJson(text)
  }
}

function parseSmallJson(text: string): ParsedText {
  const { value, duplicateKeys } = parseJsonc(text)
  return { document: value, duplicateKeys }
}
