import { UpstreamError } from '../errors/upstream-error.ts'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** The state of a task at a server, of either protocol version. */
export interface ServerTask {
  readonly id: string
  readonly status: TaskStatus
  /** For a person or a model. */
  readonly message: string | undefined
  /** How often the server wants to be asked. */
  readonly pollMs: number | undefined
  /** The open questions of a 2026 server. */
  readonly inputRequests: Fields
  /** The result and the error of a task of a 2026 server that has ended. */
  readonly result: unknown
  readonly error: unknown
}

type Fields = Readonly<Record<string, unknown>>

const statuses: ReadonlySet<unknown> = new Set<TaskStatus>([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
])
const maxIdLength = 1_024
const maxMessageLength = 1_000

/** Reads a task from a server's response. Rejects an invalid one. */
export function readServerTask(value: unknown, server: string): ServerTask {
  const fields = Object(value) as Fields
  const { taskId, status, statusMessage, inputRequests, result, error } = fields
  const interval = fields.pollIntervalMs ?? fields.pollInterval
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > maxIdLength)
    throw invalid(server, `expected "taskId" to be a string of at most ${maxIdLength} characters`)
  if (!statuses.has(status))
    throw invalid(server, `expected "status" to be one of ${[...statuses].join(', ')}`)
  return {
    id: taskId,
    status: status as TaskStatus,
    message: typeof statusMessage === 'string' ? statusMessage.slice(0, maxMessageLength) : undefined,
    pollMs: typeof interval === 'number' && interval > 0 ? interval : undefined,
    inputRequests: Object(inputRequests) as Fields,
    result,
    error,
  }
}

function invalid(server: string, problem: string): UpstreamError {
  return new UpstreamError('INVALID_RESULT', server, `sent an invalid task: ${problem}`)
}
