import { createScanner, type Node } from 'jsonc-parser'
import { findNode, keyStartOf, keysOf, parseSource } from './json-spans.ts'

/** Replaces the characters from `start` to `end`. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * The edit that sets one value in JSON source, or removes it if `value` is `undefined`; the key `-` appends it to an array. Comments
 * and formatting of everything else are kept, which `modify` of jsonc-parser does not do. `null` if the value cannot be set because
 * it has no parent, or if there is nothing to remove.
 */
export function editJson(text: string, pointer: string, value: unknown): TextEdit | null {
  const edit = findEdit(text, pointer, value)
  // A file with Windows line endings keeps them.
  return edit === null || !text.includes('\r\n')
    ? edit
    : { ...edit, text: edit.text.replace(/\r?\n/g, '\r\n') }
}

export function applyEdit(text: string, edit: TextEdit): string {
  return text.slice(0, edit.start) + edit.text + text.slice(edit.end)
}

function findEdit(text: string, pointer: string, value: unknown): TextEdit | null {
  const keys = keysOf(pointer)
  const root = parseSource(text)
  const node = findNode(root, keys)
  if (value === undefined) return node === null || keys.length === 0 ? null : removal(text, node)
  if (node !== null)
    return { start: node.offset, end: node.offset + node.length, text: replacement(text, node, value) }
  const parent = findNode(root, keys.slice(0, -1))
  const key = keys.at(-1)
  if (parent?.type === 'array' && key === '-') return addition(text, parent, '', value)
  if (parent?.type !== 'object' || key === undefined) return null
  return addition(text, parent, `${JSON.stringify(key)}: `, value)
}

function addition(text: string, parent: Node, prefix: string, value: unknown): TextEdit {
  const close = parent.offset + parent.length - 1
  const last = parent.children!.at(-1)
  const inside = text.slice(parent.offset + 1, close)
  const comma = last === undefined ? '' : ','
  const isMultiLine =
    inside.includes('\n') || (last === undefined && (text.includes('\n') || isFilledObject(value)))
  const unit = indentOf(text)
  const base = lineIndent(text, parent.offset)
  const member = `${prefix}${isMultiLine ? indented(value, unit, base + unit) : oneLineJson(value)}`
  const added = isMultiLine ? `\n${base}${unit}${member}\n${base}` : ` ${member} `
  const lastEnd = last === undefined ? parent.offset + 1 : last.offset + last.length
  // Comments between the last member and the closing brace stay where they are, after the comma.
  const between = text.slice(lastEnd, close).trimEnd()
  const hasComma = commaAfter(text, lastEnd) !== null
  return { start: lastEnd, end: close, text: `${hasComma ? '' : comma}${between}${added}` }
}

/** Removes a comma, too: the one that follows, or for the last member the one before it. Comments on separate lines stay. */
function removal(text: string, node: Node): TextEdit {
  const start = keyStartOf(node)
  const end = node.offset + node.length
  const comma = commaAfter(text, end)
  if (comma !== null) {
    const indent = /(?<=\n)[ \t]*$/.exec(text.slice(0, start))?.[0].length
    const rest = text.slice(comma + 1)
    const lineRest = /^[ \t]*(\/\/[^\r\n]*)?\r?\n/.exec(rest)?.[0].length
    // The whole line, so that the next one keeps its own indentation.
    if (indent !== undefined && lineRest !== undefined)
      return { start: start - indent, end: comma + 1 + lineRest, text: '' }
    const space = indent === undefined ? /^\s*/ : /^[ \t]*/
    return { start, end: comma + 1 + space.exec(rest)![0].length, text: '' }
  }
  const container = node.parent!.type === 'property' ? node.parent!.parent! : node.parent!
  const previous = container.children!.at(-2)
  const lineComment = /^[ \t]*\/\/[^\r\n]*/.exec(text.slice(end))?.[0].length ?? 0
  if (previous === undefined) {
    const [open, close] = [container.offset + 1, container.offset + container.length - 1]
    const isEmpty = (text.slice(open, start) + text.slice(end, close)).trim() === ''
    return isEmpty ? { start: open, end: close, text: '' } : { start, end: end + lineComment, text: '' }
  }
  const previousEnd = previous.offset + previous.length
  const previousComma = commaAfter(text, previousEnd)!
  const between = text.slice(previousEnd, previousComma) + text.slice(previousComma + 1, start)
  return { start: previousEnd, end: end + lineComment, text: between.trimEnd() }
}

/** The offset of the next comma if only white space and comments precede it. */
function commaAfter(text: string, offset: number): number | null {
  const scanner = createScanner(text, true)
  scanner.setPosition(offset)
  scanner.scan()
  return text[scanner.getTokenOffset()] === ',' ? scanner.getTokenOffset() : null
}

/** A value that was on one line stays on one line. */
function replacement(text: string, node: Node, value: unknown): string {
  const old = text.slice(node.offset, node.offset + node.length)
  const wasOneLine = typeof value === 'object' && !old.includes('\n')
  if (wasOneLine || !text.includes('\n')) return oneLineJson(value)
  return indented(value, indentOf(text), lineIndent(text, keyStartOf(node)))
}

/** Short arrays stay on one line. */
function indented(value: unknown, unit: string, base: string): string {
  const short = oneLineJson(value)
  if (short.length <= 60 && Array.isArray(value)) return short
  return JSON.stringify(value, null, unit).replaceAll('\n', `\n${base}`)
}

function isFilledObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}

function oneLineJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLineJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${oneLineJson(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function indentOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
}

function lineIndent(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, offset))![0]
}
