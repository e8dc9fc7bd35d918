import { CurfewError } from '../errors/curfew-error.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { CompiledSchema, ParameterIssue } from './compile-schema.ts'
import type { JsonSchema } from './json-schema.ts'

interface ParameterizedTool {
  readonly name: string
  readonly schema: CompiledSchema
  readonly parameterNames: readonly string[]
}

const maxIssues = 10
const maxIssueLength = 300
const maxListed = 20
/** A server may publish any number of names, and comparing them is slow. */
const maxCompared = 1_000
const maxTypeLength = 60

/** An error that tells the model which parameters are invalid, which names it probably meant, and which parameters exist. */
export function invalidParams(
  tool: ParameterizedTool,
  params: unknown,
  issues: readonly ParameterIssue[],
  /** `schema` for a model that may not have seen the schema yet. */
  show: 'names' | 'schema' = 'names',
): CurfewError {
  const problems = describeIssues(tool, params, issues)
  const parameters =
    show === 'names' ? describeParameters(tool) : `Parameters: ${JSON.stringify(tool.schema.jsonSchema)}`
  const first = issues[0]?.path
  return new CurfewError(
    'INVALID_PARAMS',
    `params of ${tool.name}: ${problems}${problems.endsWith('?') ? '' : '.'} ${parameters}`,
    { field: first ? `params.${first}` : 'params' },
  )
}

/** Which parameters are invalid, and which names were probably meant. */
export function describeIssues(
  { parameterNames }: ParameterizedTool,
  params: unknown,
  issues: readonly ParameterIssue[],
): string {
  const passed = new Set(keysOf(params))
  const missing = parameterNames.filter((name) => !passed.has(name)).slice(0, maxCompared)
  const known = new Set(parameterNames)
  const unknown = new Set([...passed].filter((key) => !known.has(key)))
  const shown = issues.slice(0, maxIssues).map((issue) => describeIssue(issue, unknown, missing))
  const more = issues.length > maxIssues ? [`and ${issues.length - maxIssues} more`] : []
  // A schema that ignores unknown keys reports only what is missing.
  for (const { path } of issues) unknown.delete(path)
  return [...shown, ...more, ...misspelled(unknown, missing)].join('; ')
}

function describeIssue(
  { path, message, knownKeys }: ParameterIssue,
  unknown: ReadonlySet<string>,
  missing: readonly string[],
): string {
  const line = cut(path === '' ? message : `${path}: ${message}`)
  const isUnknown = knownKeys !== undefined || unknown.has(path)
  const hint = isUnknown
    ? didYouMean(path.split('.').at(-1)!, knownKeys?.slice(0, maxCompared) ?? missing)
    : ''
  return hint === '' ? line : `${line}, ${hint}`
}

function misspelled(unknown: ReadonlySet<string>, missing: readonly string[]): string[] {
  return [...unknown].slice(0, maxIssues).flatMap((key) => {
    const hint = didYouMean(key, missing)
    return hint === '' ? [] : [`${cut(key)}: is not a parameter of this tool, ${hint}`]
  })
}

function keysOf(params: unknown): string[] {
  return typeof params === 'object' && params !== null && !Array.isArray(params) ? Object.keys(params) : []
}

/** `Parameters: text (string, required), limit (integer)` */
function describeParameters({ parameterNames, schema }: ParameterizedTool): string {
  const { properties, required, additionalProperties } = schema.jsonSchema
  if (parameterNames.length === 0) {
    return additionalProperties === false ? 'It takes no parameters' : 'It declares no parameters'
  }
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name)
  const listed = parameterNames.slice(0, maxListed).map((name) => {
    const notes = [typeOf(Object(properties)[name] as JsonSchema), isRequired(name) ? 'required' : ''].filter(
      Boolean,
    )
    return notes.length === 0 ? name : `${name} (${notes.join(', ')})`
  })
  const more = parameterNames.length - listed.length
  return `Parameters: ${listed.join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}

function typeOf(schema: JsonSchema): string {
  const { type, enum: choices } = Object(schema) as JsonSchema
  if (Array.isArray(choices)) {
    const listed = choices.map((choice) => JSON.stringify(choice)).join(' | ')
    if (listed.length <= maxTypeLength) return listed
  }
  if (Array.isArray(type)) return type.join(' or ')
  return typeof type === 'string' ? type : ''
}

function cut(line: string): string {
  return line.length > maxIssueLength ? `${line.slice(0, maxIssueLength)}...` : line
}
