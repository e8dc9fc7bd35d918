import type { ConfiguredValue, LayerSource } from './config-layer.ts'
import type { ConfigProblem } from './config-problem.ts'
import { splitEntryKey, variableOf } from './config-settings.ts'
import type { Layers } from './merge-config.ts'

/** The models of the agent, as they are configured. Nothing here is a default. */
export interface ModelSettings {
  readonly model: ConfiguredModel | null
  readonly fallbackModel: ConfiguredModel | null
  readonly imageModel: ConfiguredModel | null
  readonly transcriptionModel: ConfiguredModel | null
  /** By `provider:name`. */
  readonly entries: ReadonlyMap<string, ModelEntry>
  /**
   * Why settings of the user cannot be used: by `model` and the like, `models.provider:name`, or `models` for all of them. Nothing
   * else may be used in their place, because prompts would be sent to a server that the user did not choose.
   */
  readonly invalid: ReadonlyMap<string, ConfigProblem>
}

/** A model and where it was set. */
export interface ConfiguredModel {
  /** `provider:name[@base-url]`; a project's has no base URL. */
  readonly name: string
  readonly source: LayerSource
  /** Set if the source is a file. */
  readonly file?: string
  /** Set if the source is an environment variable. */
  readonly variable?: string
}

/** An entry of `models`. */
export interface ModelEntry {
  readonly contextWindow?: number
  /** For a million tokens. */
  readonly price?: Readonly<Partial<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>>>
  /** The name of a secret. */
  readonly key?: string
  readonly baseUrl?: string
  /** Where its first setting was set. */
  readonly source: LayerSource
  readonly file?: string
}

const modelKeys = ['model', 'fallbackModel', 'imageModel', 'transcriptionModel'] as const
/** A setting that names a model. */
export type ModelRole = (typeof modelKeys)[number]

/** `values` are the merged values of the layers. */
export function toModelSettings(values: ReadonlyMap<string, ConfiguredValue>, layers: Layers): ModelSettings {
  const entries = new Map<string, ModelEntry>()
  for (const [key, { value, source, file }] of values) {
    const { group, entry: model = '', name = '' } = splitEntryKey(key) ?? {}
    if (group !== 'models') continue
    const entry = entries.get(model) ?? { source, ...(file !== undefined && { file }) }
    const [field = '', part] = name.split('.')
    entries.set(model, { ...entry, [field]: part === undefined ? value : { ...entry.price, [part]: value } })
  }
  return {
    model: configuredModel(values.get('model')),
    fallbackModel: configuredModel(values.get('fallbackModel')),
    imageModel: configuredModel(values.get('imageModel')),
    transcriptionModel: configuredModel(values.get('transcriptionModel')),
    entries,
    invalid: invalidSettings(layers),
  }
}

function invalidSettings(layers: Layers): ReadonlyMap<string, ConfigProblem> {
  const invalid = new Map<string, ConfigProblem>()
  for (const key of modelKeys) {
    const problem = problemOf(key, layers)
    if (problem !== null) invalid.set(key, problem)
  }
  for (const problem of errorsOf(layers.user.problems)) {
    const key = problem.field === null ? 'models' : invalidEntry(problem.field)
    if (key !== null && !invalid.has(key)) invalid.set(key, problem)
  }
  return invalid
}

/** The problem that hides a model, unless a source with a higher priority sets one. */
function problemOf(key: ModelRole, layers: Layers): ConfigProblem | null {
  for (const source of ['flags', 'environment', 'project', 'user'] as const) {
    const { values, problems } = layers[source]
    if (values.has(key)) return null
    const names: readonly (string | null)[] = [key, variableOf(key), null]
    const problem = errorsOf(problems).find(({ field }) => names.includes(field))
    // What a project cannot set is ignored.
    if (problem !== undefined && source !== 'project') return problem
  }
  return null
}

/** `models`, or the entry whose server or key cannot be used; `null` if the field is about something else. */
function invalidEntry(field: string): string | null {
  if (field === 'models') return field
  const { group, entry, name } = splitEntryKey(field) ?? {}
  if (group === 'models' && (name === 'key' || name === 'baseUrl')) return `models.${entry}`
  return field.startsWith('models.') && !/\.(contextWindow|price(\.\w+)?)$/.test(field) ? field : null
}

function errorsOf(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return problems.filter(({ severity }) => severity === 'error')
}

function configuredModel(configured: ConfiguredValue | undefined): ConfiguredModel | null {
  if (configured === undefined) return null
  const { value, ...where } = configured
  return { name: String(value), ...where }
}

/** Not options of the runtime. */
export function isAboutModels(key: string): boolean {
  return isModel(key) || key.startsWith('models.')
}

function isModel(key: string): boolean {
  return (modelKeys as readonly string[]).includes(key)
}

/** Why a project may not set this, or `null`: prompts and keys would be sent to its server, or a budget computed with its prices. */
export function whyNotInProject(key: string, value: unknown): string | null {
  if (isModel(key) && String(value).includes('@http'))
    return 'a project cannot set a base URL, because your prompts and keys would be sent there'
  const entryKey = splitEntryKey(key)
  if (entryKey?.group === 'externalAgents') return 'only your own config.json can name programs'
  if (entryKey?.group !== 'models' || entryKey.name === 'contextWindow') return null
  return 'only your own config.json can set this'
}

/** What a string has to be; the schema's messages show only its pattern. */
export function expectedText(key: string): string | null {
  if (isModel(key))
    return 'provider:name[@base-url], with one of the providers google, anthropic and openai-compatible, such as google:gemini-pro-latest'
  const { group, name } = splitEntryKey(key) ?? {}
  if (group !== 'models') return null
  if (name === 'key') return 'the name of a secret: letters, digits and _, as in MODEL_KEY'
  if (name === 'baseUrl')
    return 'a URL that starts with http:// or https://, without a user name, query or fragment'
  return null
}
