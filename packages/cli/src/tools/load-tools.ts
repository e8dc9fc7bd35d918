import { niceTool, sleepTool, storeSecretTool, type Tool, timeoutTool } from '@curfew/core'
import { type ConfigProblem, type Extensions, formatProblem, loadExtensions } from '@curfew/core/extensions'
import { refuseFlags } from '../config/set-option.ts'
import { oneLine } from '../terminal.ts'

export interface ConfiguredTools extends Omit<Extensions, 'tools'> {
  /** What Curfew brings along, then what the files describe. */
  readonly tools: readonly Tool[]
  /** Where a tool is described. */
  readonly files: ReadonlyMap<string, string>
}

const builtinTools: readonly Tool[] = [timeoutTool, sleepTool, niceTool, storeSecretTool]

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
export function reportProblems(problems: readonly ConfigProblem[]): void {
  for (const problem of problems) process.stderr.write(`${problemLine(problem)}\n`)
}

/** Files are written by others: what they contain must not look like something else. */
export function problemLine(problem: ConfigProblem): string {
  return `${problem.severity}: ${oneLine(formatProblem(problem))}`
}
