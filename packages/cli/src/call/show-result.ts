import { styleText } from 'node:util'
import { type CallResult, formatDuration } from '@curfew/core'
import { type CallSuccess, describeSource } from '@curfew/core/internal'
import { foldTo, neutralise, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'

/** Prints how the call ended to standard error, and its value to standard output. */
export function showResult(result: CallResult): void {
  const { name, durationMs, timeoutMs, timeoutSource } = result
  const limit =
    timeoutMs === null ? '' : ` of ${formatDuration(timeoutMs)} (${describeSource(timeoutSource!)})`
  const took = `${formatDuration(durationMs)}${limit}`
  if (result.status === 'success') {
    process.stderr.write(`${styleText('green', '✓')} ${name} ${styleText('dim', took)}\n`)
    const text = textToShow(result)
    if (text !== null) write(`${neutralise(text)}\n`)
    return
  }
  const { code, message, cause } = result
  // The error of a script has a summary without its output, which has already been shown.
  const { summary } = Object(cause) as { readonly summary?: unknown }
  const text = typeof summary === 'string' ? summary : message
  const reason = foldTo(terminalWidth(process.stderr), `${code}: ${neutralise(text)}`)
  process.stderr.write(`${styleText('red', '✗')} ${name} ${styleText('dim', took)}\n${reason}\n`)
}

/** `--value`: prints only the value to standard output, so that it can be piped. */
export function showValue(result: CallResult): void {
  if (result.status !== 'success') {
    process.stderr.write(`curfew call: ${result.code}: ${neutralise(result.message)}\n`)
    return
  }
  const value = result.name.startsWith('mcp__') ? valueOfServer(result.value) : result.value
  const space = process.stdout.isTTY ? 2 : undefined
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, space) ?? 'null')
  write(`${process.stdout.isTTY ? neutralise(text) : text}\n`)
}

/** Unwraps the result of an MCP server: its structured content, or else its text. */
function valueOfServer(value: unknown): unknown {
  const { structuredContent, content } = Object(value) as { structuredContent?: unknown; content?: unknown }
  if (structuredContent !== undefined) return structuredContent
  const blocks: readonly { type?: unknown; text?: unknown }[] = Array.isArray(content)
    ? content.map(Object)
    : []
  const texts = blocks.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  )
  return blocks.length > 0 && texts.length === blocks.length ? texts.join('\n') : value
}

/** The result without the output that was shown while the call ran; `null` if nothing else is left. */
function textToShow({ name, value, content, output }: CallSuccess): string | null {
  const seen = process.stderr.isTTY ? output : ''
  if (seen !== '' && wasPrinted(value, seen)) return null
  // The text of an MCP result is in its content.
  if (typeof value === 'string' || name.startsWith('mcp__')) return content
  return JSON.stringify(withoutSeen(value, seen), null, 2) ?? content
}

/** A script prints its result: as text, or as JSON on one line or on the last ones, before or after what it wrote to standard error. */
function wasPrinted(value: unknown, output: string): boolean {
  if (value === null) return true
  if (typeof value === 'string') return output.includes(value.slice(-1_000))
  const json = JSON.stringify(value)
  if (json === undefined) return false
  const lines = output.trim().split('\n')
  const last = (start: RegExp): number[] =>
    lines.flatMap((line, index) => (start.test(line) ? [index] : [])).slice(-3)
  const ends = last(/^[\]}]/)
  const blocks = last(/^[[{]/).flatMap((first) => ends.map((end) => lines.slice(first, end + 1).join('\n')))
  return [...lines, ...blocks].some((text) => isJsonOf(text, json))
}

function isJsonOf(text: string, json: string): boolean {
  try {
    return text.length >= 1 && JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false
  }
}

/** Omits fields that repeat the output, as in the result of the timeout tool. */
function withoutSeen(value: unknown, seen: string): unknown {
  if (seen === '' || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const isSeen = typeof field === 'string' && field.includes('\n') && seen.includes(field.trim())
      return [key, isSeen ? '(shown above)' : field]
    }),
  )
}
