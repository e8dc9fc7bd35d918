import { escapeInvisible } from '@curfew/core/internal'

/** A problem with a file; `line` is `null` if it concerns the whole file. */
export class FileError extends Error {
  readonly line: number | null

  constructor(line: number | null, message: string) {
    super(message)
    this.line = line
  }
}

export interface FrontMatter {
  /** Strings, by key. */
  readonly fields: ReadonlyMap<string, FrontMatterField>
  readonly body: string
}

export interface FrontMatterField {
  readonly value: string
  readonly line: number
  /** The value continues on indented lines, which are not part of `value`. */
  readonly isNested: boolean
}

const maxFields = 50

/**
 * Reads `key: value` lines between two lines of `---` at the start of a file. Not YAML: all values are strings, because people write
 * `argument-hint: [file]` and mean the text.
 *
 * @throws FileError
 */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (lines[0]?.trimEnd() !== '---') return { fields: new Map(), body: lines.join('\n') }
  const fields = new Map<string, FrontMatterField>()
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  if (end === -1) throw new FileError(1, 'expected a closing line --- after the opening one')
  let last: string | null = null
  for (const [index, line] of lines.slice(1, end).entries()) {
    const number = index + 2
    if (/^\s*(#.*)?$/.test(line)) continue
    if (/^(\s|- )/.test(line) && last !== null) {
      fields.set(last, { ...fields.get(last)!, isNested: true })
      continue
    }
    const [, key, value] = /^([A-Za-z][\w-]{0,63}):(?:\s+(.*))?$/.exec(line) ?? []
    if (key === undefined)
      throw new FileError(number, `expected key: value, got ${JSON.stringify(cut(line))}`)
    if (fields.has(key)) throw new FileError(number, `duplicate key ${key}`)
    if (fields.size === maxFields) throw new FileError(number, `expected at most ${maxFields} keys`)
    fields.set(key, { value: unquote((value ?? '').trim()), line: number, isNested: false })
    last = key
  }
  return { fields, body: lines.slice(end + 1).join('\n') }
}

/** The value of a key, as a line for people; `undefined` if it is missing or empty. */
export function lineField({ fields }: FrontMatter, key: string, maxLength: number): string | undefined {
  const found = fields.get(key)
  if (found === undefined) return undefined
  if (found.isNested || /^[|>][+-]?$/.test(found.value))
    throw new FileError(found.line, `${key}: expected a string on one line`)
  if (found.value.length > maxLength)
    throw new FileError(found.line, `${key}: expected at most ${maxLength} characters`)
  return escapeInvisible(found.value) || undefined
}

function unquote(value: string): string {
  const [, quoted] = /^"(.*)"$/.exec(value) ?? /^'(.*)'$/.exec(value) ?? []
  return quoted ?? value
}

function cut(line: string): string {
  return line.length > 80 ? `${line.slice(0, 80)}...` : line
}
