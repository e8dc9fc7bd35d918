import { defineTool, type Tool } from '@curfew/core'

/** Emits what it is given, and runs until it is cancelled. */
export const waitTool: Tool = defineTool({
  name: 'wait',
  description: 'Wait until the call is cancelled.',
  concurrent: true,
  parameters: { type: 'object', properties: { says: { type: 'string' } } },
  execute: (params, { signal, output }) => {
    const { says } = params as { says?: string }
    if (says !== undefined) output(says)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  },
})

/** Ignores its signal. */
export const deafTool: Tool = defineTool({
  name: 'deaf',
  description: 'Ignore everything.',
  execute: () => new Promise<never>(() => {}),
})

/** Returns how the call inside it ended. */
export const outerTool: Tool = defineTool({
  name: 'outer',
  description: 'Call the tool wait.',
  execute: async (_, context) => {
    const results = await context.execute([{ id: 'inner', name: 'wait', params: { says: 'inside' } }])
    return results.map(({ status }) => status)
  },
})
