import { type CallResult, type ErrorCode, formatDuration, type Progress, type ResultPart } from '@curfew/core'
import type { JSONValue, Tool } from 'ai'

/** The output of a tool in the AI SDK: plain data, because it is stored in messages and sent to browsers. */
export type AiSdkToolOutput = RunningOutput | SuccessOutput | FailureOutput

/** A preliminary output, while the call is running. */
export interface RunningOutput {
  readonly status: 'running'
  /** The end of the live output. */
  readonly content: string
  readonly progress?: Progress
}

interface SuccessOutput {
  readonly status: 'success'
  /** What the model reads. */
  readonly content: string
  /** What the tool returned, as JSON, unless it is binary or longer than 65,536 characters. */
  readonly value?: unknown
  /** Images, audio, files and resources, besides text. The model reads those with data. */
  readonly parts?: readonly ResultPart[]
  readonly durationMs: number
}

interface FailureOutput {
  readonly status: 'error' | 'cancelled'
  /** `TOOL_TIMEOUT`, `DENIED`, ... */
  readonly code: ErrorCode
  readonly message: string
  /** What the model reads. */
  readonly content: string
  /** Whether it is safe to retry the call. */
  readonly retrySafe: boolean
  readonly durationMs: number
}

export function toToolOutput(result: CallResult, signal: AbortSignal | undefined): AiSdkToolOutput {
  const { content, durationMs } = result
  if (result.status === 'success') {
    const { parts } = result
    const value = plainValue(result.value)
    return {
      status: 'success',
      content,
      ...(value !== undefined && { value }),
      ...(parts && { parts }),
      durationMs,
    }
  }
  const { status, code, message, retrySafe } = result
  const failure = { status, code, message, content, retrySafe, durationMs }
  return code === 'CANCELLED' && isTimeout(signal) ? asTimeout(result, failure) : failure
}

type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>
type ModelPart = Extract<ModelOutput, { type: 'content' }>['value'][number]

/** What the model reads. The output may come from a client, which stores the messages, so its shape is checked. */
export function toModelOutput(output: unknown): ModelOutput {
  const { status, code, content, parts } = (output ?? {}) as Record<string, unknown>
  if (typeof content !== 'string') return { type: 'json', value: (output ?? null) as JSONValue }
  if (code === 'DENIED' || code === 'APPROVAL_EXPIRED') return { type: 'execution-denied', reason: content }
  if (status === 'error' || status === 'cancelled') return { type: 'error-text', value: content }
  if (status === 'running') return { type: 'error-text', value: `The result is not known.${soFar(content)}` }
  const files = Array.isArray(parts) ? parts.flatMap(toFile) : []
  if (files.length === 0) return { type: 'text', value: content }
  return { type: 'content', value: [{ type: 'text', text: content }, ...files] }
}

/** Text is already in the content. */
function toFile(part: Partial<Record<string, unknown>> | null): ModelPart[] {
  const { data, mediaType = 'application/octet-stream', name } = part ?? {}
  if (typeof data !== 'string' || typeof mediaType !== 'string') return []
  const filename = typeof name === 'string' ? { filename: name } : {}
  return [{ type: 'file', data: { type: 'data', data }, mediaType, ...filename }]
}

const maxValueLength = 65_536

function plainValue(value: unknown): unknown {
  if (value === undefined || value instanceof Uint8Array) return undefined
  const json = JSON.stringify(value)
  return json === undefined || json.length > maxValueLength ? undefined : JSON.parse(json)
}

/** The AI SDK's own timeouts, such as `timeout: { toolMs }`, reach a tool as an aborted signal. */
function isTimeout(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
}

function asTimeout({ name, output }: CallResult, failure: FailureOutput): FailureOutput {
  const message = `${name} was stopped after ${formatDuration(failure.durationMs)} by a timeout of the AI SDK`
  const retry = failure.retrySafe
    ? 'It is safe to retry.'
    : 'It may have had effects; check before you retry.'
  return {
    ...failure,
    status: 'error',
    code: 'TOOL_TIMEOUT',
    message,
    content: `TOOL_TIMEOUT: ${message}.\n${retry}${soFar(output)}`,
  }
}

function soFar(output: string): string {
  return output === '' ? '' : `\nOutput so far:\n${output}`
}
