import { documentChecker } from '../config/check-document.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

/** The content of `extensions/scripts/<folder>/tool.json`. */
export interface ScriptFile {
  /** @default the folder's name */
  readonly name?: string
  readonly description: string
  /** Seconds, or a text with a unit. */
  readonly timeout?: number | string
  readonly always_allow: boolean
  readonly concurrent: boolean
  readonly parameters?: JsonSchema
}

export const scriptFileSchema: JsonSchema = {
  title: 'A script tool of Curfew (extensions/scripts/<name>/tool.json)',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    name: {
      type: 'string',
      minLength: 1,
      description: "Without the prefix script_; by default the folder's name.",
    },
    description: { type: 'string', minLength: 1, description: 'One sentence that begins with a verb.' },
    timeout: {
      type: ['number', 'string'],
      exclusiveMinimum: 0,
      description: 'Seconds, or a text with a unit such as "5m"; by default 300.',
    },
    always_allow: {
      type: 'boolean',
      default: false,
      description: 'Runs without being asked for, though it may change things.',
    },
    concurrent: {
      type: 'boolean',
      default: false,
      description: 'Has no side effects and may run beside other calls.',
    },
    parameters: {
      type: 'object',
      description: 'A JSON Schema with "type": "object".',
      // That is how a library's schema object would be told from JSON Schema.
      not: { required: ['~standard'] },
    },
  },
  required: ['description'],
  additionalProperties: false,
}

export const checkScriptFile: ReturnType<typeof documentChecker<ScriptFile>> =
  documentChecker<ScriptFile>(scriptFileSchema)
