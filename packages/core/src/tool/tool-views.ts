import { formatDuration } from '../duration/format-duration.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Tool } from './tool.ts'
import type { ToolAnnotations } from './tool-annotations.ts'
import { toolAnnotations } from './tool-annotations.ts'

export const views = ['stub', 'brief', 'full'] as const

/** How much of a tool the model sees. */
export type View = (typeof views)[number]

export interface ToolView {
  readonly name: string
  /** Only in the full view. */
  readonly title?: string
  readonly description?: string
  readonly parameters?: JsonSchema
  readonly annotations?: ToolAnnotations
}

/**
 * - `stub`: only the name (except for tools with `alwaysLoad`).
 * - `brief`: name, description, parameters.
 * - `full`: brief, plus `title`, `usage`, a description of its behaviour, and the annotations.
 */
export function toolView(tool: Tool, view: View): ToolView {
  if (view === 'stub' && !tool.alwaysLoad) return { name: tool.name }
  const brief = { name: tool.name, description: tool.description, parameters: tool.schema.jsonSchema }
  if (view !== 'full') return brief
  const sentences = [tool.description, tool.usage].filter((text) => text !== undefined).map(endSentence)
  const description = [...sentences, describeBehaviour(tool)].filter(Boolean).join(' ')
  const title = tool.title !== undefined && { title: tool.title }
  return { ...brief, ...title, description, annotations: toolAnnotations(tool) }
}

/** Adds a missing full stop, because another sentence follows. */
function endSentence(text: string): string {
  const trimmed = text.trim()
  return /[\p{L}\p{N}]$/u.test(trimmed) ? `${trimmed}.` : trimmed
}

/** Describes the explicitly set flags. Defaults are cautious guesses, so nothing is claimed for them. */
export function describeBehaviour(
  tool: Pick<Tool, 'readOnly' | 'destructive' | 'idempotent' | 'openWorld' | 'timeoutMs' | 'declared'>,
): string {
  const { declared, timeoutMs } = tool
  const sentences: string[] = []
  if (tool.readOnly) sentences.push('Read-only: it changes nothing.')
  else if (declared.has('destructive')) {
    sentences.push(
      tool.destructive ? 'It can change or destroy data.' : 'It may change data, but destroys none.',
    )
  }
  if (!tool.readOnly) sentences.push('It may need approval.')
  if (declared.has('idempotent') || tool.readOnly)
    sentences.push(tool.idempotent ? 'Safe to repeat.' : 'Not safe to repeat blindly.')
  if (declared.has('openWorld'))
    sentences.push(tool.openWorld ? 'It may reach beyond this machine.' : 'It stays on this machine.')
  if (timeoutMs !== undefined) sentences.push(`It ends after ${formatDuration(timeoutMs)} at the latest.`)
  return sentences.join(' ')
}
