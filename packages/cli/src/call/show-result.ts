import { styleText } from 'node:util'
import { type CallResult, formatDuration } from '@curfew/core'
import { type CallSuccess, describeSource } from '@curfew/core/internal'
import { foldTo, neutralise, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'

/** How it ended on standard error, and what came of it on standard output. */
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
  // What a script printed has been shown already.
  const words = Object(cause).name === 'ScriptError' ? message.split('\n', 1)[0]! : message
  const why = foldTo(terminalWidth(process.stderr), `${code}: ${neutralise(words)}`)
  process.stderr.write(`${styleText('red', '✗')} ${name} ${styleText('dim', took)}\n${why}\n`)
}

/** `--value`: nothing else on standard output, for whoever goes on with it. */
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

/** What a server answers is wrapped: its data, or else its text, is the value. */
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

/** Without what the person has seen while it ran; `null` if that was all. */
function textToShow({ name, value, content, output }: CallSuccess): string | null {
  const seen = process.stderr.isTTY ? output : ''
  if (seen !== '' && wasPrinted(value, seen)) return null
  // The result of a server wraps its text.
  if (typeof value === 'string' || name.startsWith('mcp__')) return content
  return JSON.stringify(withoutSeen(value, seen), null, 2) ?? content
}

/** What a script prints is its result: as text, or as JSON that stands on one line or at the end. */
function wasPrinted(value: unknown, output: string): boolean {
  if (value === null) return true
  if (typeof value === 'string') return output.includes(value.slice(-1_000))
  const json = JSON.stringify(value)
  if (json === undefined) return false
  const lines = output.trim().split('\n')
  const ends = lines.flatMap((line, index) => (/^[[{]/.test(line) ? [lines.slice(index).join('\n')] : []))
  return [...lines, ...ends.slice(-3)].some((text) => isJsonOf(text, json))
}

function isJsonOf(text: string, json: string): boolean {
  try {
    return text.length >= 1 && JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false
  }
}

/** A report that quotes the output, as that of a command does, need not quote what stands above it. */
function withoutSeen(value: unknown, seen: string): unknown {
  if (seen === '' || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const isSeen = typeof field === 'string' && field.includes('\n') && seen.includes(field.trim())
      return [key, isSeen ? '(shown above)' : field]
    }),
  )
}
