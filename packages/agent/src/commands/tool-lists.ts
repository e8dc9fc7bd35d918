import type { ToolView } from '@curfew/core'
import type { CommandHost, CommandRuntime } from './command-host.ts'
import { oneLine } from './one-line.ts'

/** The tools whose names contain the filter, by name. */
export function selectTools(runtime: CommandRuntime, filter = ''): ToolView[] {
  return runtime
    .listTools('brief')
    .filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** For completion. */
export function toolNames({ runtime }: CommandHost): { value: string; description: string }[] {
  return selectTools(runtime).map(({ name, description = '' }) => ({
    value: name,
    description: oneLine(description),
  }))
}
