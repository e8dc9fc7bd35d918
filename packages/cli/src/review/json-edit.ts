import { type JsonSpan, JsonSpans, keysOf } from './json-spans.ts'

/** A piece of a text, and what is to stand there. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Sets one value in a text of JSON, or takes it out if it is `undefined`; the rest stays as it was written. `null` if
 * what it would stand in is not there.
 */
export function editJson(text: string, pointer: string, value: unknown): TextEdit | null {
  const parent = pointer.slice(0, pointer.lastIndexOf('/'))
  const spans = new JsonSpans(text, [pointer])
  const there = spans.at(pointer)
  const around = spans.at(parent)
  if (value === undefined) return there === null || pointer === '' ? null : removal(text, there)
  if (there !== null) {
    return { start: there.start, end: there.end, text: written(text, there, value) }
  }
  const key = keysOf(pointer).at(-1)
  if (around === null || key === undefined || text[around.start] !== '{') return null
  return addition(text, around, key, value)
}

export function applyEdit(text: string, edit: TextEdit): string {
  return text.slice(0, edit.start) + edit.text + text.slice(edit.end)
}

function addition(text: string, around: JsonSpan, key: string, value: unknown): TextEdit {
  const inside = text.slice(around.start + 1, around.end - 1)
  const start = around.start + 1 + inside.trimEnd().length
  const comma = inside.trim() === '' ? '' : ','
  const isLines = inside.includes('\n') || (comma === '' && text.includes('\n'))
  if (!isLines)
    return { start, end: around.end - 1, text: `${comma} ${JSON.stringify(key)}: ${oneLineJson(value)} ` }
  const unit = indentOf(text)
  const base = lineIndent(text, around.start)
  const body = indented(value, unit, base + unit)
  const line = `${comma}\n${base}${unit}${JSON.stringify(key)}: ${body}\n${base}`
  return { start, end: around.end - 1, text: line }
}

/** With the comma that has nothing to part any more. */
function removal(text: string, { keyStart, end }: JsonSpan): TextEdit {
  const after = /^\s*,\s*/.exec(text.slice(end))
  if (after !== null) return { start: keyStart, end: end + after[0].length, text: '' }
  let start = keyStart
  while (/\s/.test(text[start - 1] ?? '')) start--
  return { start: text[start - 1] === ',' ? start - 1 : keyStart, end, text: '' }
}

/** What stood on one line stays there. */
function written(text: string, { keyStart, start, end }: JsonSpan, value: unknown): string {
  const wasOneLine = typeof value === 'object' && !text.slice(start, end).includes('\n')
  if (wasOneLine || !text.includes('\n')) return oneLineJson(value)
  return indented(value, indentOf(text), lineIndent(text, keyStart))
}

/** Short lists stay on their line, as people write them. */
function indented(value: unknown, unit: string, base: string): string {
  const short = oneLineJson(value)
  if (short.length <= 60 && Array.isArray(value)) return short
  return JSON.stringify(value, null, unit).replaceAll('\n', `\n${base}`)
}

function oneLineJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLineJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${oneLineJson(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** What one step inwards is in this file. */
function indentOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
}

function lineIndent(text: string, at: number): string {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, at))![0]
}
