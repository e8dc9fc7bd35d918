import { abortable, withTimer } from '@curfew/core/internal'
import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'
import type { UpstreamRequest } from '../connection/send-request.ts'
import type { TaskServer } from '../tasks/follow-task.ts'
import { readServerTask, type ServerTask } from '../tasks/server-task.ts'
import { acceptedTask } from '../transport/accept-task.ts'
import { type OutgoingCall, sendCall } from './send-call.ts'

/** How long a server may take to create a task for a call that has ended meanwhile, so that it can be cancelled. */
const createdLateMs = 10_000
/** A server keeps a task at least this much longer than the call may take: the clock of a call is paused while a person is asked. */
const extraTtlMs = 900_000

/** It needs the SDK, which importing the package must not load. */
const loadTasks = (): Promise<typeof import('../tasks/follow-task.ts')> => import('../tasks/follow-task.ts')

/** Calls a tool. If the server runs the call as a task, waits for the task. */
export async function callUpstreamTool(
  call: OutgoingCall,
  { name, execution }: ToolDefinition,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { upstream, forwarded } = call
  const request = { method: 'tools/call', params: { name, arguments: args } }
  const { taskSupport } = execution ?? {}
  const asTask = taskSupport === 'required' || (taskSupport === 'optional' && forwarded?.asTask === true)
  if (asTask && upstream.listing?.era === 'legacy') return await callAsTask(call, request)
  const result = await sendCall(call, request)
  const task = acceptedTask(result)
  if (task === undefined) return result
  const { followTask } = await loadTasks()
  return await followTask(readServerTask(task, upstream.name), taskServer(call))
}

/** Only 2025 servers are asked for a task; others decide themselves. */
async function callAsTask(call: OutgoingCall, request: UpstreamRequest): Promise<Record<string, unknown>> {
  const ended = new AbortController()
  try {
    const options = { ...call.options, progressUntil: ended.signal }
    const { followTask } = await loadTasks()
    return await followTask(await createTask({ ...call, options }, request), taskServer(call))
  } finally {
    ended.abort()
  }
}

/** The request is not cancelled: the task that it creates is. */
async function createTask(call: OutgoingCall, { method, params }: UpstreamRequest): Promise<ServerTask> {
  const { upstream, context } = call
  const { signal, deadline } = context
  await upstream.connect(signal, (secret) => context.secret(secret))
  const limit = new AbortController()
  const ttl = Math.ceil(deadline.remainingMs) + extraTtlMs
  const created = sendCall(call, { method, params: { ...params, task: { ttl } } }, limit.signal).then(
    (result) => readServerTask(result.task, upstream.name),
  )
  try {
    return await abortable(created, signal)
  } catch (error) {
    if (signal.aborted) void cancelWhenCreated(created, limit, taskServer(call))
    throw error
  }
}

async function cancelWhenCreated(
  created: Promise<ServerTask>,
  limit: AbortController,
  server: TaskServer,
): Promise<void> {
  const cancelled = created.then(
    async ({ id }) => await (await loadTasks()).cancelTask(id, server),
    () => {},
  )
  await withTimer(server.clock, createdLateMs, (elapsed) => Promise.race([cancelled, elapsed]))
  limit.abort(server.signal.reason)
}

function taskServer(call: OutgoingCall): TaskServer {
  const { upstream, context, forwarded } = call
  const { config, clock } = upstream
  const isDurable = config.target.kind !== 'stdio'
  let lastMessage: string | undefined
  let changes = 0
  return {
    config,
    clock,
    era: upstream.listing?.era ?? 'legacy',
    signal: context.signal,
    request: async (method, params, signal) => {
      // A task of a process has ended with it.
      if (method === 'tasks/cancel' && !upstream.connected) return {}
      const options = { repeatable: isDurable, continuesCall: true }
      return await sendCall({ ...call, options }, { method, params }, signal)
    },
    ask: async (method, params, signal) =>
      await (forwarded?.askFor(upstream, method, params, signal) ?? upstream.answer(method, params, signal)),
    onStatus: (task) => {
      forwarded?.onTask(task)
      if (task.message === undefined || task.message === lastMessage) return
      lastMessage = task.message
      context.progress({ current: ++changes, message: task.message })
    },
  }
}
