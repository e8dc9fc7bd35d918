import type { Vault } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { type ChooseModelOptions, chooseModel, defaultModels, sourceOfDefault } from './choose-model.ts'
import { InvalidSettingError } from './invalid-setting-error.ts'
import { type ModelKey, readModelKey } from './read-model-key.ts'
import { type ResolvedModel, resolveConfigured, resolveModel, sourceOfModel } from './resolve-model.ts'

export interface ListedModel extends ResolvedModel {
  readonly role: 'selected' | 'fallback' | null
  readonly key: ModelKey
}

export interface ModelList {
  /** The selected one first. */
  readonly models: readonly ListedModel[]
  /** Why no model is selected, or `null`. */
  readonly error: ModelProblem | null
  /** Models that cannot be listed, and why. */
  readonly problems: readonly ModelProblem[]
}

export interface ModelProblem {
  readonly message: string
  /** It is also one of the configuration's problems. */
  readonly isInConfig: boolean
}

/** The selected model, its fallback, the configured ones, and the default model of each provider whose key exists. */
export async function listModels(options: ChooseModelOptions): Promise<ModelList> {
  const { name, settings, vault, env } = options
  const problems: ModelProblem[] = []
  const models: ListedModel[] = []
  const add = async (model: ResolvedModel, role: ListedModel['role']): Promise<void> => {
    const { id, baseUrl } = model
    // An entry of `models` only adds settings to a model whose server is known.
    const isKnown = models.some((known) => known.id === id && (role === null || known.baseUrl === baseUrl))
    if (!isKnown) models.push({ ...model, role, key: await readKey(model, vault) })
  }
  const attempt = async (task: () => void | Promise<void>): Promise<ModelProblem | null> => {
    try {
      await task()
      return null
    } catch (error) {
      return { message: messageOf(error), isInConfig: error instanceof InvalidSettingError }
    }
  }
  const error = await attempt(async () => add(await chooseModel(options), 'selected'))
  if (name !== undefined) return { models, error, problems }
  const fallbackProblem = await attempt(async () => {
    const fallback = resolveConfigured('fallbackModel', settings, env)
    if (fallback !== null) await add(fallback, 'fallback')
  })
  if (fallbackProblem !== null) problems.push(fallbackProblem)
  for (const [id, entry] of settings.entries) {
    const problem = await attempt(() => add(resolveModel(id, sourceOfModel(entry), settings, env), null))
    if (problem !== null) problems.push(problem)
  }
  // A problem with the variable of a provider matters only if that is selected.
  for (const model of defaultModels(settings, env, [])) {
    const key = await readKey(model, vault)
    if (key.kind === 'found') await add({ ...model, from: sourceOfDefault(key.name) }, null)
  }
  return { models, error, problems }
}

/** A store that cannot be opened concerns only the models that need it. */
async function readKey(model: ResolvedModel, vault: Pick<Vault, 'read'>): Promise<ModelKey> {
  try {
    return await readModelKey(model, vault)
  } catch (error) {
    return { kind: 'missing', name: model.keys[0] ?? '', problem: messageOf(error) }
  }
}
