import type { Tool, ToolContext } from '@curfew/core'
import type { Workspace } from '../../workspace/workspace.ts'
import { assertApproved, restrictMentioned } from './mentioned-files.ts'

/** A tool such as `timeout`, which runs any program: what applies to the commands of `run_command` applies to it, too. */
export function restrictProgramTool(tool: Tool, workspace: Workspace): Tool {
  const restrict: NonNullable<Tool['restrict']> = (params) => {
    const { command_args: args } = params as { readonly command_args: readonly string[] }
    return restrictMentioned(workspace, args.join('\n'), process.cwd())
  }
  const run = tool.execute as (params: never, context: ToolContext) => unknown
  const execute = (params: never, context: ToolContext): unknown => {
    assertApproved(restrict(params), context)
    return run(params, context)
  }
  return Object.freeze({ ...tool, restrict, execute })
}
