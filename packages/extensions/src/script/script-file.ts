import type { JsonSchema } from '@curfew/core'
import { described, secretNamePattern } from '@curfew/core/internal'
import { documentChecker } from '../config/check-document.ts'
import { type ToolFileBehaviour, toolFileFields } from '../config/tool-file.ts'

/** The content of `extensions/scripts/<folder>/tool.json`. */
export interface ScriptFile extends ToolFileBehaviour {
  /** @default the folder's name */
  readonly name?: string
  readonly description: string
  readonly usage?: string
  /** Seconds, or a string with a unit. */
  readonly timeout?: number | string
  readonly always_allow: boolean
  /** The script gets their values as environment variables. */
  readonly secrets: readonly string[]
  readonly parameters?: JsonSchema
}

export const scriptFileSchema: JsonSchema = {
  title: 'Curfew script tool (extensions/scripts/<name>/tool.json)',
  type: 'object',
  properties: {
    ...toolFileFields,
    timeout: described(
      { type: ['number', 'string'], exclusiveMinimum: 0 },
      'Seconds, or a string with a unit such as "5m"; by default 300.',
    ),
    secrets: described(
      { type: 'array', items: { type: 'string', pattern: secretNamePattern }, default: [] },
      'Names of secrets that the script gets as environment variables.',
    ),
    parameters: {
      type: 'object',
      description: 'A JSON Schema with "type": "object".',
      // This key marks the schema object of a library, which is not JSON Schema.
      not: { required: ['~standard'] },
    },
  },
  required: ['description'],
  additionalProperties: false,
}

export const checkScriptFile: ReturnType<typeof documentChecker<ScriptFile>> =
  documentChecker<ScriptFile>(scriptFileSchema)
