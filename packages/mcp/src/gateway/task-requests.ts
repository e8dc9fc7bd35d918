import { abortable } from '@curfew/core/internal'
import {
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import { noSdkTimeout } from '../async/no-sdk-timeout.ts'
import { tasksExtension } from '../client/tasks/tasks-extension.ts'
import { clientCapabilitiesKey, relatedTaskKey } from '../wire/meta-keys.ts'
import type { ClientTask } from './client-task.ts'
import type { ClientTasks } from './client-tasks.ts'
import type { OpenQuestion } from './input-requests.ts'
import type { JsonObject } from './json-object.ts'

/** A client's tasks. */
export interface OwnTasks {
  readonly tasks: ClientTasks
  readonly owner: object
}

type Handler = (task: ClientTask, context: ServerContext) => JsonObject | Promise<JsonObject>

/** Whether a 2026 client can poll a task. */
export function supportsTasks({ extensions }: ClientCapabilities): boolean {
  return extensions?.[tasksExtension] !== undefined
}

/** Serves `tasks/*` of the 2026 protocol. */
export function handleModernTasks(server: Server, own: OwnTasks): void {
  const handle = (method: string, handler: Handler): void =>
    server.setRequestHandler(method, { params: taskParams }, async ({ taskId }, context) => {
      const envelope = (context.mcpReq.envelope ?? {}) as JsonObject
      if (!supportsTasks((envelope[clientCapabilitiesKey] ?? {}) as ClientCapabilities)) {
        const requiredCapabilities = { extensions: { [tasksExtension]: {} } }
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities })
      }
      return { ...(await handler(find(own, taskId), context)) }
    })
  handle('tasks/get', (task) => task.toDetailedTask())
  handle('tasks/update', (task, { mcpReq }) => {
    task.questions.answer(mcpReq.inputResponses ?? {})
    return {}
  })
  handle('tasks/cancel', (task) => {
    task.cancel()
    return {}
  })
}

/** Serves `tasks/*` of the 2025 protocol. */
export function handleLegacyTasks(server: Server, own: OwnTasks): void {
  const handle = (method: string, handler: Handler): void =>
    server.setRequestHandler(method, { params: taskParams }, async ({ taskId }, context) => ({
      ...(await handler(find(own, taskId), context)),
    }))
  handle('tasks/get', (task) => task.toTask())
  handle('tasks/result', deliverResult)
  handle('tasks/cancel', (task) => {
    if (task.hasEnded)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `the task has already ended: ${task.status}`)
    task.cancel()
    return task.toTask()
  })
  server.setRequestHandler('tasks/list', { params: anyParams }, async () => ({
    tasks: own.tasks.list(own.owner).map((task) => task.toTask()),
  }))
}

function find({ tasks, owner }: OwnTasks, taskId: string): ClientTask {
  const task = tasks.get(owner, taskId)
  if (task === undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'there is no task with this id; it may have expired',
    )
  return task
}

/** Waits until the task has ended. Meanwhile its questions are sent on the stream of this request. */
async function deliverResult(task: ClientTask, context: ServerContext): Promise<JsonObject> {
  const { signal } = context.mcpReq
  const sent = new Set<string>()
  while (!task.hasEnded) {
    for (const question of task.questions.open) {
      if (sent.has(question.key)) continue
      sent.add(question.key)
      void deliver(question, task, context)
    }
    await abortable(Promise.race([task.ended, task.questions.nextQuestion()]), signal)
  }
  await abortable(task.ended, signal)
  const result = task.takeResult()
  return { ...result, _meta: { ...result._meta, [relatedTaskKey]: { taskId: task.id } } }
}

/** A question that was not delivered, because the client has disconnected, stays open for the next request. */
async function deliver(
  { request: { method, params }, key, signal, reject }: OpenQuestion,
  { id, questions }: ClientTask,
  { mcpReq }: ServerContext,
): Promise<void> {
  const _meta = { ...Object(params._meta), [relatedTaskKey]: { taskId: id } }
  const options = { signal: AbortSignal.any([signal, mcpReq.signal]), timeout: noSdkTimeout }
  try {
    const answer = await mcpReq.send({ method, params: { ...params, _meta } }, options)
    questions.answer({ [key]: answer })
  } catch (error) {
    if (!mcpReq.signal.aborted) reject(error)
  }
}

const taskParams: StandardSchemaV1<unknown, { readonly taskId: string }> = schema((params) =>
  typeof params.taskId === 'string' ? { taskId: params.taskId } : null,
)
const anyParams: StandardSchemaV1<unknown, JsonObject> = schema((params) => params)

function schema<T>(read: (params: JsonObject) => T | null): StandardSchemaV1<unknown, T> {
  return {
    '~standard': {
      version: 1,
      vendor: 'curfew',
      validate: (value: unknown) => {
        const params = read(Object(value) as JsonObject)
        return params === null
          ? { issues: [{ message: 'expected "taskId" to be a string' }] }
          : { value: params }
      },
    },
  }
}
