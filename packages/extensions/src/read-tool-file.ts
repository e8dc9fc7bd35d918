import { describeApi } from './api/load-apis.ts'
import { type LoadedTools, unusable } from './config/loaded-tools.ts'
import { describeScript } from './script/load-scripts.ts'

export type ToolFileFormat = 'script' | 'api'

/** Creates a tool from the content of a `tool.json` or an API file, for inspection only. Never throws. */
export function readToolFile(format: ToolFileFormat, value: unknown, file: string): LoadedTools {
  try {
    return format === 'api' ? describeApi(value, file) : describeScript(value, file)
  } catch (error) {
    return unusable(file, error)
  }
}
