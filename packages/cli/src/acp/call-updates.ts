import type { SessionUpdate, ToolCallContent, ToolCallStatus, ToolKind } from '@agentclientprotocol/sdk'
import type { DescribedChange } from '@curfew/agent/tools'
import type { CallRow, CallStatus, Transition } from '@curfew/core'
import { formatDuration } from '@curfew/core'
import { oneLine } from '../terminal.ts'

/** More is not readable in an editor; the model gets the whole result. */
const maxContentLength = 16_000
const maxTitleLength = 200

export type ToolUpdate = Extract<SessionUpdate, { sessionUpdate: 'tool_call' | 'tool_call_update' }>

export function toolCallId(uid: number): string {
  return `call-${uid}`
}

/** A call's first update. */
export function startUpdate({ uid, name, to, call }: Transition, change: DescribedChange | null): ToolUpdate {
  return {
    sessionUpdate: 'tool_call',
    toolCallId: toolCallId(uid),
    title: titleOf(name, call.args),
    kind: toolKind(name),
    status: statusOf(to),
    rawInput: call.args,
    ...describeFile(change),
  }
}

/** A change of a call's state. */
export function stateUpdate({ uid, to, state, call }: Transition): ToolUpdate {
  const { deadline } = call
  const base = {
    sessionUpdate: 'tool_call_update',
    toolCallId: toolCallId(uid),
    status: statusOf(to),
  } as const
  const limit = deadline === null ? {} : { 'curfew/limit': formatDuration(deadline.timeoutMs) }
  if (!('result' in state)) return { ...base, _meta: limit }
  const { result } = state
  const code = result.status === 'success' ? {} : { 'curfew/code': result.code }
  return { ...base, ...resultContent(result.content, call.args), _meta: { ...limit, ...code } }
}

/** The end of a running call's live output. */
export function outputUpdate({ uid, outputTail, outputPending }: CallRow): ToolUpdate {
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: toolCallId(uid),
    content: [textContent(outputTail + outputPending)],
  }
}

export function describeFile(change: DescribedChange | null): {
  content?: ToolCallContent[]
  locations?: { path: string }[]
} {
  if (change === null) return {}
  const { path, oldText, newText } = change
  return { content: [{ type: 'diff', path, oldText, newText }], locations: [{ path }] }
}

/** What is shown in one line. */
export function titleOf(name: string, args: unknown): string {
  const values = typeof args === 'object' && args !== null ? Object.values(args) : []
  const main = values.find((value) => typeof value === 'string')
  const title = main === undefined ? name : `${name} ${main}`
  return oneLine(title).slice(0, maxTitleLength)
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text: text.slice(0, maxContentLength) } }
}

/** An edit's diff stays visible: a later `content` would replace it. */
function resultContent(content: string, args: unknown): { content?: ToolCallContent[] } {
  const isEdit = typeof args === 'object' && args !== null && ('edits' in args || 'content' in args)
  return isEdit || content === '' ? {} : { content: [textContent(content)] }
}

function statusOf(status: CallStatus): ToolCallStatus {
  switch (status) {
    case 'validating':
    case 'awaiting_approval':
    case 'scheduled':
      return 'pending'
    case 'executing':
      return 'in_progress'
    case 'success':
      return 'completed'
    case 'error':
    case 'cancelled':
      return 'failed'
  }
}

const kinds: Readonly<Record<string, ToolKind>> = {
  read_file: 'read',
  list_directory: 'read',
  read_output: 'read',
  load_skill: 'read',
  find_files: 'search',
  search_files: 'search',
  search_tools: 'search',
  write_file: 'edit',
  edit_file: 'edit',
  run_command: 'execute',
  stop_command: 'execute',
  timeout: 'execute',
  nice: 'execute',
  fetch_url: 'fetch',
  write_todos: 'think',
  generate_plan: 'think',
}

/** How an editor shows a call. */
export function toolKind(name: string): ToolKind {
  if (Object.hasOwn(kinds, name)) return kinds[name]!
  if (name.startsWith('script_')) return 'execute'
  return name.startsWith('api_') ? 'fetch' : 'other'
}
