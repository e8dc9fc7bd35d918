import { attempt, parseJson } from '@curfew/core/internal'

/** How a program writes its answer: plain text, or lines of JSON as one of the known programs does. */
export const answerFormats = ['text', 'claude', 'gemini', 'codex', 'copilot'] as const
export type AnswerFormat = (typeof answerFormats)[number]

/** What one line of a program's output means. */
export interface AnswerPart {
  /** The final answer, which replaces everything before. */
  readonly answer?: string
  /** A complete message; the last one is the answer if there is no final one. */
  readonly message?: string
  /** The next piece of a message. */
  readonly delta?: string
  /** A tool that it calls. */
  readonly tool?: string
  /** Why it failed. */
  readonly error?: string
}

/** Reads a line of JSON. `null`: it is none, or of no interest. */
export type ReadLine = (event: JsonRecord) => AnswerPart | null

type JsonRecord = Readonly<Record<string, unknown>>

export const readLineOf: Readonly<Record<Exclude<AnswerFormat, 'text'>, ReadLine>> = {
  claude: ({ type, message, result, is_error, subtype }) => {
    if (type === 'assistant') return claudeMessage(record(message).content)
    if (type !== 'result') return null
    const text = string(result)
    if (is_error === true) return { error: text ?? string(subtype) ?? 'it reported an error' }
    return text === null ? null : { answer: text }
  },
  gemini: ({ type, role, content, delta, tool_name, status, error }) => {
    if (type === 'message' && role === 'assistant') {
      const text = string(content)
      return text === null ? null : delta === true ? { delta: text } : { message: text }
    }
    if (type === 'tool_use') return { tool: string(tool_name) ?? 'a tool' }
    if (type === 'error' || (type === 'result' && status === 'error'))
      return { error: string(record(error).message) ?? 'it reported an error' }
    return null
  },
  codex: ({ type, item, error, message }) => {
    if (type === 'turn.failed') return { error: string(record(error).message) ?? 'its turn failed' }
    if (type === 'error') return { error: string(message) ?? 'it reported an error' }
    const { type: kind, text, command, tool } = record(item)
    if (type === 'item.completed' && kind === 'agent_message')
      return string(text) === null ? null : { message: string(text)! }
    if (type === 'item.started' && kind !== 'agent_message' && kind !== 'reasoning')
      return { tool: string(command) ?? string(tool) ?? string(kind) ?? 'a tool' }
    return null
  },
  copilot: ({ type, data, exitCode }) => {
    const { content, toolName, message } = record(data)
    if (type === 'assistant.message' && string(content)) return { message: string(content)! }
    if (type === 'tool.execution_start') return { tool: string(toolName) ?? 'a tool' }
    if (type === 'session.error') return { error: string(message) ?? 'it reported an error' }
    if (type === 'result' && typeof exitCode === 'number' && exitCode !== 0)
      return { error: `it ended with code ${exitCode}` }
    return null
  },
}

/** Text and calls of a message of Anthropic's protocol. */
function claudeMessage(content: unknown): AnswerPart | null {
  if (!Array.isArray(content)) return null
  const text = content.map((part) => (record(part).type === 'text' ? (string(record(part).text) ?? '') : ''))
  const call = content.map(record).find(({ type }) => type === 'tool_use')
  const message = text.join('')
  if (call !== undefined) return { tool: string(call.name) ?? 'a tool', ...(message !== '' && { message }) }
  return message === '' ? null : { message }
}

/** A line as an object; `null` if it is something else. Never throws. */
export function parseLine(line: string): JsonRecord | null {
  if (!line.startsWith('{')) return null
  return attempt(() => record(parseJson(line)), null)
}

function record(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {}
}

function string(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
