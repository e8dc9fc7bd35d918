import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { ToolView } from '@curfew/core'

/** Stand-in until the complete version is merged. */
export function toTools(views: readonly ToolView[]): LanguageModelV4FunctionTool[] {
  return views.map(({ name, description = '', parameters = { type: 'object' } }) => ({
    type: 'function',
    name,
    description,
    inputSchema: parameters as LanguageModelV4FunctionTool['inputSchema'],
  }))
}
