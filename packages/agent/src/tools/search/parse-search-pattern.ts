import { CurfewError } from '@curfew/core'
import {
  type ClassItem,
  type PatternNode,
  type PatternSet,
  type PosixName,
  posixClasses,
} from './search-pattern.ts'

export interface ParsedPattern {
  readonly node: PatternNode
  /** It starts with `(?i)`. */
  readonly ignoresCase: boolean
}

const maxDepth = 50
/** After counted repetitions are written out. Larger ones exceed limits of the engines. */
const maxSize = 1_000

/**
 * Parses a regular expression in the syntax that ripgrep and JavaScript share. Look-around and backreferences are rejected, and a brace that
 * is not a repetition is an ordinary character. Throws `INVALID_PARAMS` with the position.
 */
export function parseSearchPattern(source: string): ParsedPattern {
  const parser = new Parser(source)
  return parser.parse()
}

/** A pattern that cannot be searched for, whether it is a regular expression or not. */
export function checkPatternText(source: string): void {
  if (/[\n\r]/.test(source))
    throw invalid('expected a pattern for one line, got a line break; search for one of the lines')
  if (source.includes('\0'))
    throw invalid('expected text, got a NUL character; binary files are not searched')
  if (!source.isWellFormed()) throw invalid('expected text, got half of a surrogate pair')
}

class Parser {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  parse(): ParsedPattern {
    checkPatternText(this.#source)
    const ignoresCase = this.#take('(?i)')
    const node = this.#alternatives(0)
    if (this.#at < this.#source.length) throw this.#error('a ) without a (; to search for it, write \\)')
    if (sizeOf(node) > maxSize)
      throw this.#error(`repetitions that write out to more than ${maxSize} parts; use a smaller count`, 0)
    return { node, ignoresCase }
  }

  #alternatives(depth: number): PatternNode {
    const nodes = [this.#sequence(depth)]
    while (this.#take('|')) nodes.push(this.#sequence(depth))
    return nodes.length === 1 ? nodes[0]! : { type: 'alternatives', nodes }
  }

  #sequence(depth: number): PatternNode {
    const nodes: PatternNode[] = []
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at]!)) {
      const start = this.#at
      nodes.push(this.#repeated(this.#atom(depth), start))
    }
    return { type: 'sequence', nodes }
  }

  #repeated(node: PatternNode, start: number): PatternNode {
    const counts = this.#count()
    if (counts === null) return node
    // Whether it is greedy does not change which lines match.
    this.#take('?')
    if (this.#count() !== null)
      throw this.#error('a repetition of a repetition; put the first one in parentheses', start)
    return { type: 'repeat', node, ...counts }
  }

  #count(): { min: number; max: number | null } | null {
    if (this.#take('*')) return { min: 0, max: null }
    if (this.#take('+')) return { min: 1, max: null }
    if (this.#take('?')) return { min: 0, max: 1 }
    const [whole, low, comma, high] =
      /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#source.slice(this.#at, this.#at + 24)) ?? []
    if (whole === undefined) return null
    const min = Number(low)
    const max = comma === undefined ? min : high === '' ? null : Number(high)
    if (max !== null && max < min)
      throw this.#error(`a repetition whose maximum is below its minimum: ${whole}`)
    if (Math.max(min, max ?? 0) > maxSize) throw this.#error(`a repetition of more than ${maxSize}: ${whole}`)
    this.#at += whole.length
    return { min, max }
  }

  #atom(depth: number): PatternNode {
    const character = this.#next()
    if (character === '(') return this.#group(depth)
    if (character === '[') return this.#class()
    if (character === '\\') return this.#escape()
    if (character === '.') return { type: 'any' }
    if (character === '^') return { type: 'line-start' }
    if (character === '$') return { type: 'line-end' }
    if (/[*+?]/.test(character))
      throw this.#error(`nothing before ${character}; to search for it, write \\${character}`, this.#at - 1)
    return characterNode(character)
  }

  #group(depth: number): PatternNode {
    const start = this.#at - 1
    if (depth === maxDepth) throw this.#error(`more than ${maxDepth} nested groups`)
    if (this.#source[this.#at] === '?') this.#groupKind(start)
    const node = this.#alternatives(depth + 1)
    if (!this.#take(')')) throw this.#error('a ( that is not closed; to search for it, write \\(', start)
    return node
  }

  /** Groups are not captured, so their names do not matter. */
  #groupKind(start: number): void {
    const [kind] = /^\?(?::|P?<\p{L}\w*>)/u.exec(this.#source.slice(this.#at)) ?? []
    if (kind !== undefined) {
      this.#at += kind.length
      return
    }
    if (/^\?<?[=!]/.test(this.#source.slice(this.#at)))
      throw this.#error('look-around, which is not supported; search for less, and filter the result', start)
    throw this.#error(
      'a flag or a kind of group that is not supported; only (?:...), and (?i) at the start, are',
      start,
    )
  }

  #escape(): PatternNode {
    const start = this.#at - 1
    if (this.#at === this.#source.length)
      throw this.#error('a \\ at the end; to search for it, write \\\\', start)
    const letter = this.#next()
    if (letter === 'b') return { type: 'boundary' }
    if (/[1-9k]/.test(letter))
      throw this.#error(
        `a backreference \\${letter}, which is not supported; search for less, and filter the result`,
        start,
      )
    return this.#set(letter, start) ?? { type: 'character', code: this.#escapedCode(letter, start) }
  }

  #set(letter: string, start: number): PatternSet | null {
    const type = ({ d: 'digit', w: 'word', s: 'space' } as const)[letter.toLowerCase()]
    const negated = letter !== letter.toLowerCase()
    if (type !== undefined) return { type, negated }
    return letter.toLowerCase() === 'p' ? { type: 'property', name: this.#property(start), negated } : null
  }

  #property(start: number): string {
    const [whole, braced, short] =
      /^(?:\{([A-Za-z_=]+)\}|([A-Z]))/.exec(this.#source.slice(this.#at, this.#at + 64)) ?? []
    const name = braced ?? short ?? ''
    if (whole === undefined || !isProperty(name))
      throw this.#error(
        'an unknown property; use a category such as \\p{L} or \\p{Lu}, or a script such as \\p{Script=Greek}',
        start,
      )
    this.#at += whole.length
    return name
  }

  /** The code of a single character. */
  #escapedCode(letter: string, start: number): number {
    const control = ({ t: 9, v: 11, f: 12, r: 13, a: 7, e: 27 } as Readonly<Record<string, number>>)[letter]
    if (control !== undefined) return control
    if (letter === 'x' || letter === 'u') return this.#hexadecimal(letter, start)
    if (letter === 'n')
      throw this.#error('a line break, which no line contains; search for one of the lines', start)
    if (/[A-Za-z0-9]/.test(letter))
      throw this.#error(`an unknown escape \\${letter}; to search for a backslash, write \\\\`, start)
    return letter.codePointAt(0)!
  }

  #hexadecimal(letter: string, start: number): number {
    const digits = letter === 'x' ? 2 : 4
    const pattern = new RegExp(`^(?:\\{([0-9A-Fa-f]{1,6})\\}|([0-9A-Fa-f]{${digits}}))`)
    const [whole, braced, plain] = pattern.exec(this.#source.slice(this.#at, this.#at + 8)) ?? []
    const code = Number.parseInt(braced ?? plain ?? '', 16)
    if (whole === undefined || code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff))
      throw this.#error(`an incomplete or invalid \\${letter}; use \\x41 or \\x{1F600}`, start)
    if (code === 0 || code === 10) throw this.#error('a character that no line contains', start)
    this.#at += whole.length
    return code
  }

  #class(): PatternNode {
    const start = this.#at - 1
    const negated = this.#take('^')
    const items: ClassItem[] = []
    for (let isFirst = true; isFirst || this.#source[this.#at] !== ']'; isFirst = false) {
      if (this.#at >= this.#source.length)
        throw this.#error('a [ that is not closed; to search for it, write \\[', start)
      items.push(this.#classItem())
    }
    this.#at++
    return { type: 'class', negated, items }
  }

  #classItem(): ClassItem {
    const start = this.#at
    const posix = this.#posix()
    if (posix !== null) return posix
    const low = this.#classCharacter()
    if (typeof low !== 'number') return low
    const isRange =
      this.#source[this.#at] === '-' && !/^(?:\]|$)/.test(this.#source.slice(this.#at + 1, this.#at + 2))
    if (!isRange) return { type: 'range', low, high: low }
    this.#at++
    const high = this.#classCharacter()
    if (typeof high !== 'number' || high < low)
      throw this.#error('an invalid range in a class; to include -, write it last', start)
    return { type: 'range', low, high }
  }

  #posix(): PatternSet | null {
    const [whole, not, name] = /^\[:(\^?)([a-z]+):\]/.exec(this.#source.slice(this.#at, this.#at + 16)) ?? []
    if (whole === undefined || !Object.hasOwn(posixClasses, name!)) return null
    this.#at += whole.length
    return { type: 'posix', name: name as PosixName, negated: not !== '' }
  }

  #classCharacter(): number | PatternSet {
    const start = this.#at
    const character = this.#next()
    if (character !== '\\') return character.codePointAt(0)!
    if (this.#at === this.#source.length)
      throw this.#error('a [ that is not closed; to search for it, write \\[', start)
    const letter = this.#next()
    return this.#set(letter, start) ?? this.#escapedCode(letter, start)
  }

  /** A whole code point. */
  #next(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at)!)
    this.#at += character.length
    return character
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #error(got: string, at: number = this.#at): CurfewError {
    return invalid(`expected a regular expression, got ${got} (at character ${at + 1})`)
  }
}

function invalid(problem: string): CurfewError {
  return new CurfewError(
    'INVALID_PARAMS',
    `pattern: ${problem}; or pass literal: true to search for the pattern as it is`,
    { field: 'pattern', hadNoEffect: true },
  )
}

function characterNode(character: string): PatternNode {
  return { type: 'character', code: character.codePointAt(0)! }
}

/** A general category, or a script. */
function isProperty(name: string): boolean {
  if (!/^[A-Z][a-z]?$/.test(name) && !/^(?:Script|sc)=/.test(name)) return false
  try {
    new RegExp(`\\p{${name}}`, 'u')
    return true
  } catch {
    return false
  }
}

function sizeOf(node: PatternNode): number {
  switch (node.type) {
    case 'sequence':
    case 'alternatives':
      return node.nodes.reduce((sum, child) => sum + sizeOf(child), 1)
    case 'repeat':
      return sizeOf(node.node) * Math.max(node.min, node.max ?? 0, 1)
    case 'class':
      return 1 + node.items.length
    default:
      return 1
  }
}
