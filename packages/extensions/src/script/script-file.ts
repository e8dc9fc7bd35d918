import type { JsonSchema } from '@curfew/core'
import { secretNamePattern } from '@curfew/core/internal'
import { documentChecker } from '../config/check-document.ts'
import { toolFileFields } from '../config/tool-file.ts'

/** The content of `extensions/scripts/<folder>/tool.json`. */
export interface ScriptFile {
  /** @default the folder's name */
  readonly name?: string
  readonly description: string
  readonly usage?: string
  /** Seconds, or a text with a unit. */
  readonly timeout?: number | string
  readonly always_allow: boolean
  readonly concurrent: boolean
  /** @default false */
  readonly idempotent?: boolean
  /** Their values come as variables of the environment. */
  readonly secrets: readonly string[]
  readonly parameters?: JsonSchema
}

export const scriptFileSchema: JsonSchema = {
  title: 'A script tool of Curfew (extensions/scripts/<name>/tool.json)',
  type: 'object',
  properties: {
    ...toolFileFields,
    timeout: {
      type: ['number', 'string'],
      exclusiveMinimum: 0,
      description: 'Seconds, or a text with a unit such as "5m"; by default 300.',
    },
    idempotent: {
      // Without a default: the full view claims only what somebody declared.
      type: 'boolean',
      description:
        'Running it twice is the same as running it once; false if it is not there. It is run again once a key that was refused is replaced.',
    },
    secrets: {
      type: 'array',
      items: { type: 'string', pattern: secretNamePattern },
      default: [],
      description: 'Names of secrets that the script gets as variables of its environment.',
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
