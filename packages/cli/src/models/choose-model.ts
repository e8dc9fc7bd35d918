import type { Vault } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import type { ModelSettings } from '@curfew/extensions'
import { advise } from '../runner-command.ts'
import { NoModelError } from './no-model-error.ts'
import { providerNames, providers } from './providers.ts'
import { readModelKey } from './read-model-key.ts'
import { type ResolvedModel, resolveConfigured, resolveModel } from './resolve-model.ts'

export interface ChooseModelOptions {
  /** `--model`. */
  readonly name?: string | undefined
  /** `provider:name` of the model that the conversation used last. */
  readonly last?: string | undefined
  readonly settings: ModelSettings
  readonly vault: Pick<Vault, 'read'>
  readonly env: Readonly<NodeJS.ProcessEnv>
}

/** `--model`, the configured model, that of the conversation, or the default of the first provider whose key exists. Throws if there is none. */
export async function chooseModel(options: ChooseModelOptions): Promise<ResolvedModel> {
  const { name, settings, env } = options
  if (name !== undefined) return resolveModel(name, '--model', settings, env)
  const configured = resolveConfigured('model', settings, env)
  if (configured !== null) return configured
  const problems: string[] = []
  const last = lastModel(options, problems)
  for (const model of [...last, ...defaultModels(settings, env, problems)]) {
    try {
      const key = await readModelKey(model, options.vault)
      if (last.includes(model) && key.kind !== 'missing') return model
      if (key.kind === 'found') return { ...model, from: sourceOfDefault(key.name) }
    } catch (error) {
      problems.push(messageOf(error))
    }
  }
  throw new NoModelError(noModel(new Set(problems)))
}

/** The model that the conversation used last, unless its server is not known. */
function lastModel({ last, settings, env }: ChooseModelOptions, problems: string[]): ResolvedModel[] {
  if (last === undefined || last === 'none') return []
  try {
    const fallback = resolveConfigured('fallbackModel', settings, env)
    if (fallback?.id === last) return [fallback]
    const model = resolveModel(last, 'the conversation', settings, env)
    // The name of a saved model has no base URL, and many servers speak this protocol.
    if (model.provider !== 'openai-compatible' || model.baseUrlFrom !== null) return [model]
    problems.push(`the conversation used ${last}, whose server is not saved; name both with --model`)
  } catch (error) {
    problems.push(messageOf(error))
  }
  return []
}

/** The default model of each provider that may be chosen because of its key. */
export function defaultModels(
  settings: ModelSettings,
  env: Readonly<NodeJS.ProcessEnv>,
  problems: string[],
): ResolvedModel[] {
  return providerNames.flatMap((provider) => {
    try {
      const { defaultModel, keys, baseUrl } = providers[provider]
      const model = resolveModel(`${provider}:${defaultModel}`, keys[0], settings, env)
      // Another server with OpenAI's protocol has other models.
      const isOther = provider === 'openai-compatible' && model.baseUrl !== baseUrl
      return isOther ? [] : [model]
    } catch (error) {
      problems.push(messageOf(error))
      return []
    }
  })
}

/** Where a default model was set, for people. */
export function sourceOfDefault(key: string): string {
  return `the default, because there is ${key}`
}

function noModel(problems: ReadonlySet<string>): string {
  const { anthropic, google } = providers
  const ways = [
    `for one run:   curfew -p "..." --model openai-compatible:qwen3@http://127.0.0.1:8080/v1`,
    `for all runs:  ${advise(`curfew config set model=google:${google.defaultModel}`)}`,
    `with a key:    export ${anthropic.keys[0]}=...   (uses anthropic:${anthropic.defaultModel})`,
  ]
  return [
    'no model is configured. There are three ways:',
    ...ways.map((way) => `  ${way}`),
    ...[...problems].map((problem) => `note: ${problem}`),
  ].join('\n')
}
