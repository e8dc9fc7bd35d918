import type { JSONRPCMessage } from '@modelcontextprotocol/client'

/** The key of a created task in a result. */
const taskKey = 'curfew/task'

/**
 * A 2026 server may respond with a task instead of a result. The SDK rejects that, because it does not know this type of result, so it
 * gets a result that contains the task. `isError`: otherwise it would expect structured content.
 */
export function acceptTask(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || message.result.resultType !== 'task') return message
  const { resultType: _, ...task } = message.result
  const result = { resultType: 'complete', content: [], isError: true, [taskKey]: task }
  return { ...message, result }
}

/** The task that a server created instead of responding with a result; `undefined` if it did not. */
export function acceptedTask(result: Readonly<Record<string, unknown>>): unknown {
  return result[taskKey]
}
