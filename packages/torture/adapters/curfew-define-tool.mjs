import { defineTool } from '@curfew/core'
import { toToolContext } from './curfew-tool.mjs'

/** Recommended for tools that the program trusts to return to the event loop. */
export const defineFunctionTool = (tool) =>
  defineTool({
    ...describe(tool),
    execute: (params, context) => tool.execute(params, toToolContext(context)),
  })

/** Ends whatever the tool does, and its exceptions stay in the thread. */
export function defineThreadTool(tool) {
  const module = new URL('curfew-tool.mjs', import.meta.url)
  module.search = String(new URLSearchParams({ module: tool.module.href, export: tool.exportName }))
  return defineTool({ ...describe(tool), isolation: 'thread', execute: { module, export: 'default' } })
}

const describe = ({ name, description, parameters, readOnly, resources }) => ({
  ...{ name, description, parameters, readOnly, concurrent: readOnly },
  ...(resources !== null && { resources: () => resources }),
})
