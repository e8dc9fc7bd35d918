import type { LanguageModelV4 } from '@ai-sdk/provider'
import { nameOfModel } from '@curfew/agent'
import type { Config } from '@curfew/extensions'
import { UsageError } from '../command.ts'
import type { OpenedModel } from '../models/open-model.ts'
import type { OpenedSession } from './start-or-resume.ts'

/** A conversation that was switched to the fallback model goes on with it, unless `--model` names another one. */
export function firstModel(
  named: string | undefined,
  found: OpenedModel | null,
  saved: OpenedSession | null,
): Partial<Pick<OpenedModel, 'model' | 'fallback'>> {
  if (found === null) return {}
  const { model, fallback } = found
  const wasSwitched = fallback !== undefined && saved?.history?.model === nameOfModel(fallback)
  return wasSwitched && named === undefined ? { model: fallback } : { model, fallback }
}

/** Stands in for a model that could not be opened, so that commands work without one. Every request fails with the reason. */
export function unavailableModel(reason: unknown): LanguageModelV4 {
  const fail = (): Promise<never> => Promise.reject(reason)
  return {
    specificationVersion: 'v4',
    provider: 'none',
    modelId: 'none',
    supportedUrls: {},
    doGenerate: fail,
    doStream: fail,
  }
}

/** Throws if a budget in money needs a price that is not configured. */
export function pricedBudget(
  { agent: { budget } }: Config,
  { model, fallback, prices }: OpenedModel,
): Config['agent']['budget'] {
  const scope = (['turn', 'conversation'] as const).find((one) => budget[one]?.money !== undefined)
  const names = [model, fallback].flatMap((one) => (one === undefined ? [] : [nameOfModel(one)]))
  const unpriced = names.find((name) => prices[name] === undefined)
  if (scope !== undefined && unpriced !== undefined)
    throw new UsageError(
      `curfew: budget.${scope}.money: the price of ${unpriced} is unknown; set models."${unpriced}".price.input and .output with curfew config set, or use budget.${scope}.tokens`,
    )
  return budget
}
