import type { Tool as ToolDefinition } from '@modelcontextprotocol/server'

/** Whether a tool of a 2025 server may be called as a task. */
export function mayBeTask(definition: Pick<ToolDefinition, 'execution'> | undefined): boolean {
  const { taskSupport } = definition?.execution ?? {}
  return taskSupport === 'required' || taskSupport === 'optional'
}

/** How clients may call a tool. One that requires a task can be called without one, too: the gateway waits for the task. */
export function executionFor(definition: ToolDefinition): Pick<ToolDefinition, 'execution'> {
  return mayBeTask(definition) ? { execution: { ...definition.execution, taskSupport: 'optional' } } : {}
}
