import { niceTool, sleepTool, type Tool, timeoutTool } from '@curfew/core'
import { type Extensions, formatProblem, loadExtensions } from '@curfew/core/extensions'
import { refuseFlags } from '../config/set-option.ts'
import { neutralise } from '../terminal.ts'

export interface ConfiguredTools extends Omit<Extensions, 'tools'> {
  /** What Curfew brings along, then what the files describe. */
  readonly tools: readonly Tool[]
  /** Where a tool is described. */
  readonly files: ReadonlyMap<string, string>
}

const builtinTools: readonly Tool[] = [timeoutTool, sleepTool, niceTool]

/** Every tool that is there for somebody who stands in this directory. */
export async function loadTools(command: string, flags: readonly string[] = []): Promise<ConfiguredTools> {
  const { tools, ...rest } = await loadExtensions({}, flags)
  refuseFlags(command, rest.problems)
  return {
    ...rest,
    tools: [...builtinTools, ...tools.map(({ tool }) => tool)],
    files: new Map(tools.map(({ tool, file }) => [tool.name, file])),
  }
}

/** On standard error, a line each. */
export function reportProblems({ problems }: Pick<Extensions, 'problems'>): void {
  for (const problem of problems) {
    process.stderr.write(`${problem.severity}: ${neutralise(formatProblem(problem))}\n`)
  }
}
