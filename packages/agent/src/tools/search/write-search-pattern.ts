import { type ClassItem, type PatternNode, posixClasses } from './search-pattern.ts'

/** For ripgrep, in the syntax of Rust's `regex`. */
export function toRustPattern(node: PatternNode): string {
  switch (node.type) {
    case 'character':
      return rustCharacter(node.code)
    case 'any':
      return '.'
    case 'line-start':
      return '^'
    case 'line-end':
      // A carriage return before the line break belongs to it.
      return '(?:\\r?$)'
    case 'boundary':
      return '\\b'
    case 'class':
      return `[${node.negated ? '^' : ''}${node.items.map(rustItem).join('')}]`
    case 'sequence':
      return node.nodes.map((child) => group(child, toRustPattern(child), 'alternatives')).join('')
    case 'alternatives':
      return node.nodes.map(toRustPattern).join('|')
    case 'repeat':
      return group(node.node, toRustPattern(node.node)) + quantifier(node.min, node.max)
    default:
      return rustSet(node)
  }
}

/**
 * For JavaScript, with the flags `v` and `m`. `plain` is for ASCII text without carriage returns, where the short forms mean the same and
 * are faster. In other text, a byte that is not UTF-8 is a lone surrogate (`decodeSearchedText`), which matches nothing.
 */
export function toJavaScriptPattern(node: PatternNode, kind: 'plain' | 'full'): string {
  const write = (child: PatternNode): string => toJavaScriptPattern(child, kind)
  const isPlain = kind === 'plain'
  switch (node.type) {
    case 'character':
      return javaScriptCharacter(node.code)
    case 'any':
      return isPlain ? '[^\\n]' : `[^${never}]`
    case 'line-start':
      return isPlain ? '^' : '(?<![^\\n])'
    case 'line-end':
      return isPlain ? '$' : '(?:\\r?(?![^\\n]))'
    case 'boundary':
      return isPlain ? '\\b' : `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`
    case 'class': {
      const items = node.items.map((item) => javaScriptItem(item, isPlain)).join('')
      return node.negated ? `[^${items}${never}]` : `[[${items}]--[${never}]]`
    }
    case 'sequence':
      return node.nodes.map((child) => group(child, write(child), 'alternatives')).join('')
    case 'alternatives':
      return node.nodes.map(write).join('|')
    case 'repeat':
      return group(node.node, write(node.node)) + quantifier(node.min, node.max)
    default:
      return javaScriptItem(node, isPlain)
  }
}

/** What no part of a pattern matches: the end of the line, and bytes that are not UTF-8. */
const never = '\\n\\uDC80-\\uDCFF'
const wordItems = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}'
const word = `[${wordItems}]`

function group(node: PatternNode, text: string, only?: PatternNode['type']): string {
  const isNeeded =
    only === undefined
      ? ['sequence', 'alternatives', 'repeat', 'line-start', 'line-end', 'boundary'].includes(node.type)
      : node.type === only
  return isNeeded ? `(?:${text})` : text
}

function quantifier(min: number, max: number | null): string {
  if (max === null) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  if (min === 0 && max === 1) return '?'
  return min === max ? `{${min}}` : `{${min},${max}}`
}

function rustCharacter(code: number): string {
  const character = String.fromCodePoint(code)
  return /^[A-Za-z0-9_]$/.test(character) ? character : `\\x{${code.toString(16)}}`
}

function rustItem(item: ClassItem): string {
  if (item.type !== 'range') return rustSet(item)
  const low = rustCharacter(item.low)
  return item.low === item.high ? low : `${low}-${rustCharacter(item.high)}`
}

function rustSet(set: Exclude<ClassItem, { readonly type: 'range' }>): string {
  const { negated } = set
  switch (set.type) {
    case 'property':
      return `\\${negated ? 'P' : 'p'}{${set.name}}`
    case 'posix':
      return `[${negated ? '^' : ''}${posixClasses[set.name]}]`
    default:
      return letterOf(set.type, negated)
  }
}

function javaScriptCharacter(code: number): string {
  const character = String.fromCodePoint(code)
  return /^[A-Za-z0-9_]$/.test(character) ? character : `\\u{${code.toString(16)}}`
}

/** As it can stand inside and outside of a class. */
function javaScriptItem(item: ClassItem, isPlain: boolean): string {
  switch (item.type) {
    case 'range': {
      const low = javaScriptCharacter(item.low)
      return item.low === item.high ? low : `${low}-${javaScriptCharacter(item.high)}`
    }
    case 'posix':
      return set(posixClasses[item.name], item.negated)
    case 'property':
      return set(`\\p{${item.name}}`, item.negated)
    case 'digit':
      return set(isPlain ? '0-9' : '\\p{Nd}', item.negated)
    case 'word':
      return set(isPlain ? '0-9A-Za-z_' : wordItems, item.negated)
    case 'space':
      return set(isPlain ? '\\t\\v\\f\\r ' : '\\p{White_Space}', item.negated)
  }
}

function set(items: string, negated: boolean): string {
  return negated ? `[^${items}${never}]` : `[[${items}]--[${never}]]`
}

function letterOf(type: 'digit' | 'word' | 'space', negated: boolean): string {
  const letter = { digit: 'd', word: 'w', space: 's' }[type]
  return `\\${negated ? letter.toUpperCase() : letter}`
}
