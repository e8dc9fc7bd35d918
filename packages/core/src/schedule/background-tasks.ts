import type { RuntimeSettings } from '../options/resolve-options.ts'
import type { ResourceLocks } from '../order/resource-locks.ts'
import type { Call } from '../store/call.ts'
import type { CallStore } from '../store/call-store.ts'
import type { LiveBatches } from '../store/live-batches.ts'
import type { CallFactory } from './call-factory.ts'
import type { CallSettler } from './call-settler.ts'
import { resolveCallTimeout } from './resolve-call-timeout.ts'

export interface BackgroundTaskDependencies {
  readonly settings: RuntimeSettings
  readonly factory: CallFactory
  readonly batches: LiveBatches
  readonly store: CallStore
  readonly settler: CallSettler
  readonly locks: ResourceLocks
}

/** Continues a running call as a task with its own row and limit; the call ends with this content. Returns the task. */
export function detachCall(call: Call, dependencies: BackgroundTaskDependencies, content?: string): Call {
  const { settings, store, settler, locks } = dependencies
  // An observer may detach a call that is being detached.
  if (call.task !== null) return call.task
  const execution = call.execution!
  const task = createTask(call, dependencies)
  moveExecution(call, task)
  const timeout = resolveCallTimeout(settings, task)
  locks.leaveToChildren(call)
  store.add(task)
  store.dispatch(task, { status: 'scheduled' })
  store.dispatch(task, {
    status: 'executing',
    timeoutMs: timeout.timeoutMs,
    timeoutSource: timeout.source,
  })
  settler.detach(call, content ?? `${call.name} continues in the background as task ${task.uid}.`)
  execution.restartClock(timeout)
  return task
}

function createTask(call: Call, { factory, batches }: BackgroundTaskDependencies): Call {
  const batch = factory.createBatch('task', call.batch.turn, null, call.depth)
  batch.done = new Promise((resolve) => {
    batch.onDone = (results) => {
      batches.remove(batch)
      resolve(results)
    }
  })
  batch.addOpen(1)
  batches.add(batch)
  const task = factory.createCall(batch, call.request)
  task.outerDepth = call.outerDepth
  return task
}

function moveExecution(call: Call, task: Call): void {
  task.continues = call.uid
  task.tool = call.tool
  task.params = call.params
  task.conflictClass = call.conflictClass
  task.phase = 'running'
  task.approved = true
  task.allowedBy = call.allowedBy
  task.restriction = call.restriction
  task.startedAt = task.createdAt
  task.activeAt = call.activeAt
  task.heals = call.heals
  task.replacementsAtStart = call.replacementsAtStart
  task.secretsRead = call.secretsRead
  task.progress = call.progress
  task.output = call.output
  task.execution = call.execution
  task.asyncContext = call.asyncContext
  task.traceContext = call.traceContext
  task.children = call.children
  task.conversations = call.conversations
  task.withdrawals = call.withdrawals
  for (const child of task.children ?? []) child.parent = task
  call.children = null
  call.conversations = null
  call.withdrawals = null
  call.task = task
  for (const conversation of task.conversations ?? []) conversation.background = true
  task.execution!.moveTo(task)
}
