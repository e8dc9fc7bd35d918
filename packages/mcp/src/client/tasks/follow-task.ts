import { abortable, type Clock, withTimer } from '@curfew/core/internal'
import { isSpecType, ProtocolError, RELATED_TASK_META_KEY } from '@modelcontextprotocol/client'
import type { ServerConfig } from '../../config/server-config.ts'
import type { BridgedMethod } from '../connection/client-bridge.ts'
import { toUpstreamError } from '../connection/to-upstream-error.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import { acceptedTask } from '../transport/accept-task.ts'
import { pollInterval } from './poll-interval.ts'
import { readServerTask, type ServerTask } from './server-task.ts'
import { TaskQuestions } from './task-questions.ts'

type Result = Record<string, unknown>

/** The server that runs a task, and the call that it belongs to. */
export interface TaskServer {
  readonly config: ServerConfig
  readonly era: 'legacy' | 'modern'
  readonly clock: Clock
  /** Aborted when the call ends. */
  readonly signal: AbortSignal
  request(method: string, params: Result, signal: AbortSignal): Promise<Result>
  /** Asks the client or its person. */
  ask(method: BridgedMethod, params: Result, signal: AbortSignal): Promise<Result>
  onStatus(task: ServerTask): void
}

/** For `tasks/cancel`. */
const cancelTimeoutMs = 10_000
/** How long the end of a call is delayed by it; shorter than the grace period of a call. */
const cancelWaitMs = 150

/** Waits for the result of a task. If the call ends before that, the task is cancelled at the server. */
export async function followTask(created: ServerTask, server: TaskServer): Promise<Result> {
  const { config, clock, signal } = server
  const { id } = created
  const about = { taskId: id }
  const questions = new TaskQuestions({
    server: config.name,
    ask: (method, params, closing) => server.ask(method, params, AbortSignal.any([closing, signal])),
    send: (inputResponses) => server.request('tasks/update', { ...about, inputResponses }, signal),
  })
  let task = created
  try {
    for (let polls = 0; ; polls++) {
      server.onStatus(task)
      const result = await resultOf(task, server)
      if (result !== null) return result
      questions.open(task.inputRequests)
      await withTimer(clock, pollInterval(task.pollMs, polls), (elapsed) =>
        abortable(Promise.race([elapsed, questions.nextAnswer(), questions.failure]), signal),
      )
      const status = await server.request('tasks/get', about, signal)
      task = readServerTask(acceptedTask(status) ?? status, config.name)
    }
  } catch (error) {
    if (!hasEnded(task)) await cancelTask(id, server)
    throw error
  } finally {
    questions.close()
  }
}

/** Cancels a task at its server. Does not reject: no one waits for the result. */
export async function cancelTask(taskId: string, { clock, request }: TaskServer): Promise<void> {
  const limit = new AbortController()
  const sent = withTimer(clock, cancelTimeoutMs, async (elapsed) => {
    void elapsed.then(() => limit.abort(new Error('the server did not respond to tasks/cancel')))
    await request('tasks/cancel', { taskId }, limit.signal).catch(() => {})
  })
  await withTimer(clock, cancelWaitMs, (elapsed) => Promise.race([sent, elapsed]))
}

function hasEnded({ status }: ServerTask): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** The result of a task that has ended; `null` while it is running. Rejects if it failed or was cancelled. */
async function resultOf(task: ServerTask, server: TaskServer): Promise<Result | null> {
  const { era, config } = server
  const { status, message } = task
  if (status === 'cancelled') {
    const reason = message === undefined ? '' : `: ${message}`
    throw new UpstreamError('TOOL_FAILED', config.name, `cancelled the task${reason}`)
  }
  if (era === 'legacy') return status === 'working' ? null : await legacyResult(task, server)
  if (status === 'failed') throw toUpstreamError(protocolError(task.error, message), config)
  return status === 'completed' ? toolResult(task.result, config) : null
}

/** Without what is meant for the client of the task: the server's id of the task is of no use to ours. */
function toolResult(value: unknown, { name }: ServerConfig): Result {
  if (!isSpecType.CallToolResult(value))
    throw new UpstreamError('INVALID_RESULT', name, 'sent an invalid result of a task')
  const { resultType: _, _meta, ...result } = value as Result
  const { [RELATED_TASK_META_KEY]: __, ...meta } = Object(_meta) as Result
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta }
}

/**
 * A 2025 server sends the result separately. A task that needs input sends its questions while the result is requested, and the response
 * is delayed until the task has ended; a server that responds with an error at once is polled further.
 */
async function legacyResult({ id, status }: ServerTask, server: TaskServer): Promise<Result | null> {
  try {
    return toolResult(await server.request('tasks/result', { taskId: id }, server.signal), server.config)
  } catch (error) {
    if (status !== 'input_required' || server.signal.aborted) throw error
    const task = readServerTask(
      await server.request('tasks/get', { taskId: id }, server.signal),
      server.config.name,
    )
    if (hasEnded(task)) throw error
    return null
  }
}

function protocolError(error: unknown, statusMessage: string | undefined): ProtocolError {
  const { code, message, data } = Object(error) as Result
  return new ProtocolError(
    Number.isSafeInteger(code) ? (code as number) : -32_603,
    typeof message === 'string' ? message : (statusMessage ?? 'the task failed'),
    data,
  )
}
