import { describeApi } from './api/load-apis.ts'
import { type LoadedTools, unusable } from './config/loaded-tools.ts'
import { describeScript } from './script/load-scripts.ts'

export type ToolFileFormat = 'script' | 'api'

/** The tool that the content of a `tool.json` or an API file describes: to look at, not to run. Never throws. */
export function readToolFile(format: ToolFileFormat, value: unknown, file: string): LoadedTools {
  try {
    return format === 'api' ? describeApi(value, file) : describeScript(value, file)
  } catch (error) {
    return unusable(file, error)
  }
}
