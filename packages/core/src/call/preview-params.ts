import { attempt } from '../errors/attempt.ts'
import { collapsePadding } from '../text/collapse-padding.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'

/** The first argument is usually the one that says what the call does. */
const firstLimit = 120
const valueLimit = 60
/** The length of a string before padding is collapsed. */
const stringLimit = 4_000
const lineLimit = 200

/** The arguments in one short line: `path="src/a.ts", depth=3, filter={…}`. Takes constant time, regardless of their size. */
export function previewParams(params: unknown): string {
  return attempt(() => escapeInvisible(preview(params)), '…')
}

function preview(params: unknown): string {
  if (typeof params !== 'object' || params === null) return previewValue(params, firstLimit)
  let line = ''
  for (const key in params) {
    const value = (params as Record<string, unknown>)[key]
    if (value === undefined) continue
    line += `${line === '' ? '' : ', '}${key}=${previewValue(value, line === '' ? firstLimit : valueLimit)}`
    if (line.length > lineLimit) return `${line.slice(0, lineLimit)}…`
  }
  return line
}

function previewValue(value: unknown, limit: number): string {
  switch (typeof value) {
    case 'string': {
      const text = collapsePadding(value.slice(0, stringLimit))
      return text.length > limit || value.length > stringLimit
        ? `${JSON.stringify(text.slice(0, limit)).slice(0, -1)}…"`
        : JSON.stringify(text)
    }
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? `[${value.length}]` : '{…}'
    case 'undefined':
      return ''
    default:
      return String(value)
  }
}
