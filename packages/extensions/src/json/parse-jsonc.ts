import { maxJsonDepth } from '@curfew/core/internal'
import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser'

export interface ParsedJson {
  readonly value: unknown
  /** Keys that occur more than once in their object; the last occurrence is used, as in `JSON.parse`. */
  readonly duplicateKeys: readonly DuplicateKey[]
}

export interface DuplicateKey {
  /** `limits.depth` */
  readonly path: string
  /** Of the later occurrence, from 1. */
  readonly line: number
  readonly column: number
}

/** The message starts with the position: `line 3, column 5: expected a comma`. */
export class JsonSyntaxError extends SyntaxError {
  /** From 1, like `column`. */
  readonly line: number
  readonly column: number

  constructor(problem: string, line: number, column: number) {
    super(`line ${line}, column ${column}: ${problem}`)
    this.line = line
    this.column = column
  }
}

/**
 * Parses JSON that people write: comments, trailing commas and a byte order mark are allowed. The caller bounds the length.
 *
 * @throws JsonSyntaxError if the string is not JSON, or is nested more than `maxJsonDepth` levels deep.
 */
export function parseJsonc(text: string): ParsedJson {
  const source = text.replace(/^\uFEFF/, ' ')
  const duplicateKeys: DuplicateKey[] = []
  const open: Container[] = []
  let root: unknown
  const add = (value: unknown): void => {
    const parent = open.at(-1)
    if (parent === undefined) root = value
    else if (parent.kind === 'array') parent.value.push(value)
    // An assignment would set the prototype if the key is __proto__.
    else Object.defineProperty(parent.value, parent.key, { ...dataProperty, value })
  }
  const begin = (container: Container, line: number, column: number): void => {
    if (open.length >= maxJsonDepth)
      throw new JsonSyntaxError(`nested more than ${maxJsonDepth} levels deep`, line + 1, column + 1)
    add(container.value)
    open.push(container)
  }
  visit(
    source,
    {
      onObjectBegin: (_offset, _length, line, column) => {
        begin({ kind: 'object', value: {}, key: '' }, line, column)
      },
      onObjectProperty: (key, _offset, _length, line, column, pathSupplier) => {
        const parent = open.at(-1) as ObjectContainer
        parent.key = key
        if (Object.hasOwn(parent.value, key)) {
          const path = [...pathSupplier(), key].join('.')
          duplicateKeys.push({ path, line: line + 1, column: column + 1 })
        }
      },
      onObjectEnd: () => void open.pop(),
      onArrayBegin: (_offset, _length, line, column) => {
        begin({ kind: 'array', value: [] }, line, column)
      },
      onArrayEnd: () => void open.pop(),
      onLiteralValue: add,
      onError: (code, offset, length, line, column) => {
        const problem = describeError(code, source.slice(offset, offset + length))
        throw new JsonSyntaxError(problem, line + 1, column + 1)
      },
    },
    { allowTrailingComma: true },
  )
  return { value: root, duplicateKeys }
}

interface ObjectContainer {
  readonly kind: 'object'
  readonly value: object
  /** Of the property that is being parsed. */
  key: string
}

type Container = ObjectContainer | { readonly kind: 'array'; readonly value: unknown[] }

const dataProperty = { configurable: true, enumerable: true, writable: true }

const expectations: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a key in double quotes',
  ValueExpected: 'a value',
  ColonExpected: 'a colon',
  CommaExpected: 'a comma',
  CloseBraceExpected: '}',
  CloseBracketExpected: ']',
  EndOfFileExpected: 'the end of the file',
}

const problems: Readonly<Record<string, string>> = {
  UnexpectedEndOfComment: 'the comment is not closed',
  UnexpectedEndOfString: 'the string is not closed',
  UnexpectedEndOfNumber: 'the number is incomplete',
  InvalidUnicode: 'invalid \\u escape in a string',
  InvalidEscapeCharacter: 'invalid escape in a string',
  InvalidCharacter: 'unescaped control character in a string',
}

function describeError(code: ParseErrorCode, token: string): string {
  const found = token.length > 20 ? `${token.slice(0, 20)}…` : token
  const name = printParseErrorCode(code)
  const expected = expectations[name]
  if (expected !== undefined)
    return `expected ${expected}, got ${found === '' ? 'the end of the file' : found}`
  return problems[name] ?? `unexpected ${found}; keys and strings need double quotes`
}
