import type { JsonSchema } from '@curfew/core'
import { described, objectSchema, secretNamePattern } from '@curfew/core/internal'
import { documentChecker } from '../config/check-document.ts'
import { type ToolFileBehaviour, toolFileFields } from '../config/tool-file.ts'

/** The content of `extensions/apis/<name>.json`. */
export interface ApiFile extends ToolFileBehaviour {
  /** @default the file's name */
  readonly name?: string
  readonly description: string
  readonly usage?: string
  readonly always_allow: boolean
  readonly endpoint: ApiEndpoint
  readonly auth?: ApiAuth
  readonly parameters: Readonly<Record<string, ApiParameter>>
  readonly response?: { readonly format?: ResponseFormat }
}

export interface ApiEndpoint {
  /** `{x}` in path or query is replaced by the parameter x, `{secret:NAME}` by the secret NAME. */
  readonly url: string
  readonly method: Method
  readonly content_type: 'json' | 'form' | 'raw'
  readonly headers: Readonly<Record<string, Scalar>>
  readonly query: Readonly<Record<string, Scalar>>
  /** Seconds, or a string with a unit. */
  readonly timeout?: number | string
}

export interface ApiAuth {
  readonly type: 'bearer' | 'apikey' | 'basic'
  /** The name of the secret. */
  readonly env: string
  readonly header?: string
}

export interface ApiParameter {
  readonly type: ParameterType
  readonly description?: string
  readonly required?: boolean
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  /** The JSON Schema of an array's elements. */
  readonly items?: JsonSchema
}

export type Method = (typeof methods)[number]
export type ParameterType = (typeof parameterTypes)[number]
export type ResponseFormat = 'json' | 'text'
export type Scalar = string | number | boolean

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const parameterTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const

const scalars: JsonSchema = {
  type: 'object',
  default: {},
  additionalProperties: { type: ['string', 'number', 'boolean'] },
}

export const apiFileSchema: JsonSchema = {
  title: 'Curfew API tool (extensions/apis/<name>.json)',
  type: 'object',
  properties: {
    ...toolFileFields,
    endpoint: objectSchema(['url'], {
      url: described(
        { type: 'string' },
        'http or https; {x} in the path or query is replaced by the parameter x, {secret:NAME} by a secret.',
      ),
      method: { enum: methods, default: 'GET' },
      content_type: described(
        { enum: ['json', 'form', 'raw'], default: 'json' },
        'The encoding of the body; raw: the only string parameter is the body.',
      ),
      headers: { ...scalars, description: 'A value may be secret:NAME, or contain {x}.' },
      query: {
        ...scalars,
        description: 'Sent with every request. A value may be secret:NAME, or contain {x}.',
      },
      timeout: described(
        { type: ['number', 'string'], exclusiveMinimum: 0 },
        'Seconds, or a string with a unit such as "90s"; by default 60, at most 300.',
      ),
    }),
    auth: objectSchema(['type', 'env'], {
      type: { enum: ['bearer', 'apikey', 'basic'] },
      env: described(
        { type: 'string', pattern: secretNamePattern },
        'The name of the secret; for basic its value is user:password.',
      ),
      header: { type: 'string', description: 'By default Authorization, for apikey X-API-Key.' },
    }),
    parameters: {
      type: 'object',
      default: {},
      additionalProperties: objectSchema(['type'], {
        type: { enum: parameterTypes },
        description: { type: 'string' },
        required: { type: 'boolean' },
        default: {},
        enum: { type: 'array', minItems: 1 },
        items: { type: 'object', description: "The JSON Schema of an array's elements." },
      }),
    },
    response: {
      type: 'object',
      properties: {
        format: {
          enum: ['json', 'text'],
          description: 'By default determined by the Content-Type of the response.',
        },
      },
      additionalProperties: false,
    },
  },
  required: ['description', 'endpoint'],
  additionalProperties: false,
}

export const checkApiFile: ReturnType<typeof documentChecker<ApiFile>> =
  documentChecker<ApiFile>(apiFileSchema)
