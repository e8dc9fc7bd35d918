import type { ResultPart } from '../call/result-part.ts'
import { wordSet } from '../collections/words.ts'
import type { Adapter } from '../deadline/adapter-timeouts.ts'
import { parseDuration } from '../duration/parse-duration.ts'
import type { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'
import { fieldError } from '../errors/field-error.ts'
import { compileJsonSchema, compileOwnSchema } from '../schema/compile-json-schema.ts'
import type { InferParams, ParameterSchema } from '../schema/compile-schema.ts'
import { compileSchema, noParameters } from '../schema/compile-schema.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { copyToolMeta } from './copy-tool-meta.ts'
import {
  behaviourFlags,
  type ShellCommand,
  type ThreadFunction,
  type Tool,
  type ToolDefinition,
} from './tool.ts'

const namePattern = /^[A-Za-z0-9_./-]{1,128}$/
const knownFields = wordSet(`
  name title description usage parameters timeout idleTimeout readOnly concurrent alwaysLoad idempotent
  destructive openWorld polling resources maxConcurrent preview restrict secrets meta isolation execute
`)

/** Set by adapters, not by tool authors. */
export interface ToolOrigin<P = never> {
  readonly adapter: Adapter
  readonly server?: string | undefined
  /** The tool is described in a file, which the caller adds to errors: they name the field, but not the tool. */
  readonly isFromFile?: boolean | undefined
  /** The tool's timeout in milliseconds, if it depends on the call. */
  readonly timeoutFor?: ((params: P) => number | undefined) | undefined
  /** The maximum for subagents, regardless of where the timeout is set. */
  readonly maxTimeoutMs?: number | undefined
  /** How long the tool may take to clean up, if longer than the runtime's `grace`. */
  readonly graceMs?: number | undefined
  /** What its secrets are bound to, such as `host:api.example.com`; by default the tool itself. */
  readonly secretUse?: string | undefined
  /** The tool prompts the person itself, so the gate does not. */
  readonly promptsItself?: boolean | undefined
  /** The tool validates its parameters itself, as an MCP server does: see `Tool`. */
  readonly validatesItself?: boolean | undefined
  /** `ask` and `deny` rules with arguments for these tools also apply to this one, because both run commands. */
  readonly sharesRulesWith?: readonly string[] | undefined
  /**
   * If the tool runs a shell: the commands in its main argument, the first one in the schema; `null` if they cannot be told. A rule with
   * a wildcard allows a call only if each command matches such a rule.
   */
  readonly shellCommands?: ((params: P) => readonly ShellCommand[] | null) | undefined
  /** Formats a value for the model, if its JSON is not suitable. */
  readonly textOf?: ((value: unknown) => string) | undefined
  /** What a person should know about a value although the call succeeded, such as `exit code 1`; `null` if there is nothing. */
  readonly problemOf?: ((value: unknown) => string | null) | undefined
  /** The parts of a value, if it contains more than text. */
  readonly partsOf?: ((value: unknown) => readonly ResultPart[] | undefined) | undefined
  /** Identifies a value without parts for loop detection, if its text does not contain all of it. */
  readonly outcomeOf?: ((value: unknown) => string) | undefined
}

/** Validates a definition and compiles its schema. Throws `INVALID_TOOL` and names the field. */
export function defineTool<const S extends ParameterSchema, R>(
  definition: ToolDefinition<S, R>,
): Tool<InferParams<S>, R> {
  return defineToolFrom(definition, { adapter: 'function' })
}

export function defineToolFrom<const S extends ParameterSchema, R>(
  definition: ToolDefinition<S, R>,
  origin: ToolOrigin<InferParams<S>>,
): Tool<InferParams<S>, R> {
  const name = checkName(definition)
  const at = (field: string): string => (origin.isFromFile ? field : `tool "${name}": ${field}`)
  for (const field of Object.keys(definition)) {
    if (knownFields.has(field)) continue
    const hint = didYouMean(field, knownFields) || `known fields: ${[...knownFields].join(', ')}`
    throw invalid(at(field), `unknown field; ${hint}`)
  }
  if (typeof definition.description !== 'string' || definition.description.trim() === '') {
    throw unexpected(at('description'), 'one sentence that begins with a verb', definition.description)
  }
  if (definition.usage !== undefined && typeof definition.usage !== 'string') {
    throw unexpected(at('usage'), 'a string', definition.usage)
  }
  const { title, preview, restrict, maxConcurrent } = definition
  if (title !== undefined && (typeof title !== 'string' || title.trim() === '')) {
    throw unexpected(at('title'), 'a non-empty string', title)
  }
  if (preview !== undefined && typeof preview !== 'function') {
    throw unexpected(at('preview'), 'a function that returns a string', preview)
  }
  if (restrict !== undefined && typeof restrict !== 'function') {
    throw unexpected(at('restrict'), 'a function that returns { verdict, reason } or null', restrict)
  }
  if (maxConcurrent !== undefined && (!Number.isSafeInteger(maxConcurrent) || maxConcurrent < 1)) {
    throw unexpected(at('maxConcurrent'), 'a positive integer', maxConcurrent)
  }
  const readOnly = flag(definition.readOnly, false, at('readOnly'))
  const destructive = flag(definition.destructive, !readOnly, at('destructive'))
  if (readOnly && destructive)
    throw invalid(at('destructive'), 'true contradicts readOnly: true; remove one of them')
  const idempotent = flag(definition.idempotent, readOnly, at('idempotent'))
  if (readOnly && !idempotent)
    throw invalid(at('idempotent'), 'false contradicts readOnly: true; remove one of them')
  const { secrets = [], resources } = definition
  if (!Array.isArray(secrets) || secrets.some((secret) => typeof secret !== 'string' || secret === '')) {
    throw unexpected(at('secrets'), 'an array of names', secrets)
  }
  if (resources !== undefined && typeof resources !== 'function') {
    throw unexpected(at('resources'), 'a function that returns an array of keys', resources)
  }
  const { parameters } = definition
  const compile = origin.adapter === 'builtin' ? compileOwnSchema : compileJsonSchema
  const schema =
    parameters === undefined ? noParameters : compileSchema(parameters, at('parameters'), compile)
  return Object.freeze({
    name,
    title,
    description: definition.description,
    usage: definition.usage,
    meta: definition.meta === undefined ? undefined : copyToolMeta(definition.meta, at),
    schema,
    parameterNames: Object.keys(Object(schema.jsonSchema.properties)),
    adapter: origin.adapter,
    server: origin.server,
    timeoutFor: origin.timeoutFor,
    maxTimeoutMs: origin.maxTimeoutMs,
    graceMs: origin.graceMs ?? 0,
    timeoutMs:
      definition.timeout === undefined ? undefined : parseDuration(definition.timeout, at('timeout')),
    idleTimeoutMs:
      definition.idleTimeout === undefined ? null : parseDuration(definition.idleTimeout, at('idleTimeout')),
    readOnly,
    concurrent: flag(definition.concurrent, false, at('concurrent')),
    alwaysLoad: flag(definition.alwaysLoad, false, at('alwaysLoad')),
    idempotent,
    destructive,
    openWorld: flag(definition.openWorld, true, at('openWorld')),
    declared: new Set(behaviourFlags.filter((name) => definition[name] !== undefined)),
    polling: flag(definition.polling, false, at('polling')),
    resources,
    maxConcurrent,
    preview,
    restrict,
    secrets: [...secrets],
    secretUse: origin.secretUse ?? `tool:${name}`,
    promptsItself: origin.promptsItself ?? false,
    validatesItself: origin.validatesItself ?? false,
    sharesRulesWith: origin.sharesRulesWith ?? [],
    shellCommands: origin.shellCommands,
    textOf: origin.textOf,
    problemOf: origin.problemOf,
    partsOf: origin.partsOf,
    outcomeOf: origin.outcomeOf,
    execute: checkExecute(definition.execute, definition.isolation, at),
    overrides: undefined,
  })
}

function checkName(definition: unknown): string {
  if (typeof definition !== 'object' || definition === null) {
    throw unexpected('tool', 'an object with name, description and execute', definition)
  }
  const { name } = definition as { name?: unknown }
  if (name === undefined || name === '') throw invalid('name', 'missing; every tool requires one')
  if (typeof name !== 'string' || !namePattern.test(name)) {
    throw unexpected('name', '1 to 128 of A-Z a-z 0-9 _ . / -', name)
  }
  return name
}

function checkExecute<F extends (...args: never) => unknown>(
  execute: F | ThreadFunction,
  isolation: string = 'none',
  at: (field: string) => string,
): F | ThreadFunction {
  if (isolation !== 'none' && isolation !== 'thread') {
    throw unexpected(at('isolation'), "'none' or 'thread'", isolation)
  }
  if (isolation === 'none') {
    if (typeof execute === 'function') return execute
    throw invalid(
      at('execute'),
      'expected a function (or { module, export } together with isolation: "thread")',
    )
  }
  if (typeof execute === 'function') {
    throw invalid(
      at('execute'),
      'a function cannot be sent to a thread; expected { module: new URL("./tool.js", import.meta.url), export: "name" }',
    )
  }
  const module = execute?.module
  if (!(module instanceof URL) && !URL.canParse(module)) {
    throw unexpected(at('execute.module'), 'a URL such as new URL("./tool.js", import.meta.url)', module)
  }
  return { module, export: execute.export ?? 'default' }
}

function flag(value: boolean | undefined, fallback: boolean, field: string): boolean {
  if (value === undefined) return fallback
  if (typeof value !== 'boolean') throw unexpected(field, 'true or false', value)
  return value
}

function unexpected(field: string, expected: string, got: unknown): CurfewError {
  return invalid(field, `expected ${expected}, got ${describeValue(got)}`)
}

function invalid(field: string, problem: string): CurfewError {
  return fieldError('INVALID_TOOL', field, problem)
}
