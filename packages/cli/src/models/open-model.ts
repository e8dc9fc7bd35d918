import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Prices } from '@curfew/agent'
import { CurfewError, type Vault } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import type { ModelSettings } from '@curfew/extensions'
import { chooseModel } from './choose-model.ts'
import { contextWindowOf } from './context-window.ts'
import { createModel } from './create-model.ts'
import { readModelKey } from './read-model-key.ts'
import { type ResolvedModel, resolveConfigured } from './resolve-model.ts'

export interface OpenModelOptions {
  /** `--model`; without it, the configured model or the default of a provider whose key exists. */
  readonly name?: string | undefined
  /** `provider:name` of the model that the conversation used last. */
  readonly last?: string | undefined
  /** `config.models`. */
  readonly settings: ModelSettings
  readonly vault: Pick<Vault, 'read'>
  /** Redacts a key everywhere: `runtime.hideSecret`. */
  hideSecret(name: string, value: string): unknown
  /** @default process.env */
  readonly env?: Readonly<NodeJS.ProcessEnv> | undefined
}

export interface OpenedModel {
  readonly model: LanguageModelV4
  readonly fallback: LanguageModelV4 | undefined
  /** `provider:name`. */
  readonly name: string
  /** In tokens, of this model or another one, such as the fallback. */
  contextWindowOf(model: string): number | undefined
  /** Configured prices by `provider:name`. */
  readonly prices: Prices
  /** What the person should know, such as a fallback that cannot be used. */
  readonly warnings: readonly string[]
}

/** Opens the model of the agent, and its fallback. Rejects with what to do if there is none, or its key is missing. */
export async function openModel(options: OpenModelOptions): Promise<OpenedModel> {
  const { env = process.env } = options
  const chosen = await chooseModel({ ...options, env })
  const warnings: string[] = []
  const model = await open(chosen, options, warnings)
  const fallback = await openFallback(chosen, { ...options, env }, warnings)
  return {
    model,
    fallback,
    name: chosen.id,
    contextWindowOf: (id) => contextWindowOf(id, options.settings.entries),
    prices: pricesOf(options.settings, warnings),
    warnings,
  }
}

/** A fallback that cannot be opened is no reason not to start. */
async function openFallback(
  chosen: ResolvedModel,
  options: OpenModelOptions & { readonly env: Readonly<NodeJS.ProcessEnv> },
  warnings: string[],
): Promise<LanguageModelV4 | undefined> {
  const { settings, env } = options
  try {
    const fallback = resolveConfigured('fallbackModel', settings, env)
    if (fallback === null) return undefined
    if (fallback.id === chosen.id && fallback.baseUrl === chosen.baseUrl) return undefined
    return await open(fallback, options, warnings)
  } catch (error) {
    warnings.push(`the fallback model cannot be used: ${messageOf(error)}`)
    return undefined
  }
}

async function open(
  model: ResolvedModel,
  options: OpenModelOptions,
  warnings: string[],
): Promise<LanguageModelV4> {
  return await createModel(model, await modelKey(model, options, warnings))
}

/** The key of a model, which is redacted from now on; `null` if it needs none. Rejects with what to do if it is missing. */
export async function modelKey(
  model: ResolvedModel,
  { vault, hideSecret }: Pick<OpenModelOptions, 'vault' | 'hideSecret'>,
  warnings: string[],
): Promise<string | null> {
  const key = await readModelKey(model, vault)
  const notices = key.kind === 'none' && key.notice !== null ? [key.notice] : []
  for (const warning of [...model.warnings, ...notices]) warnings.push(`${model.id}: ${warning}`)
  if (key.kind === 'missing')
    throw new CurfewError('CREDENTIAL_REQUIRED', `${model.id}: ${key.problem}`, {
      field: key.name,
      details: { key: key.name, use: model.use },
    })
  if (key.kind !== 'found') return null
  hideSecret(key.name, key.value)
  return key.value
}

function pricesOf({ entries }: ModelSettings, warnings: string[]): Prices {
  const prices: [string, Prices[string]][] = []
  for (const [model, { price }] of entries) {
    if (price === undefined) continue
    const { input, output, ...cached } = price
    if (input !== undefined && output !== undefined) prices.push([model, { input, output, ...cached }])
    else
      warnings.push(
        `models.${model}.price: expected input and output, got only ${Object.keys(price).join(', ')}; it is ignored`,
      )
  }
  return Object.fromEntries(prices)
}
