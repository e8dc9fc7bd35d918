import { niceTool, sleepTool, type Tool, timeoutTool } from '@curfew/core'
import { type Extensions, formatProblem, loadExtensions } from '@curfew/core/extensions'

export interface ConfiguredTools extends Omit<Extensions, 'tools'> {
  /** What Curfew brings along, then what the files describe. */
  readonly tools: readonly Tool[]
  /** Where a tool is described. */
  readonly files: ReadonlyMap<string, string>
}

const builtinTools: readonly Tool[] = [timeoutTool, sleepTool, niceTool]

/** Every tool that is there for somebody who stands in this directory. */
export async function loadTools(): Promise<ConfiguredTools> {
  const { tools, ...rest } = await loadExtensions()
  return {
    ...rest,
    tools: [...builtinTools, ...tools.map(({ tool }) => tool)],
    files: new Map(tools.map(({ tool, file }) => [tool.name, file])),
  }
}

/** On standard error, a line each. */
export function reportProblems({ problems }: Pick<Extensions, 'problems'>): void {
  for (const problem of problems) process.stderr.write(`${problem.severity}: ${formatProblem(problem)}\n`)
}
