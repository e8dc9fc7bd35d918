import { nameOfModel } from '@curfew/agent'
import { CurfewError } from '@curfew/core'
import type { Config } from '@curfew/extensions'
import { UsageError } from '../command.ts'
import type { OpenedModel } from '../models/open-model.ts'
import type { OpenedSession } from './open-session.ts'

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

export type ModelTimeouts = Readonly<Record<'firstToken' | 'idle' | 'total', number>>

/** With the defaults. */
export function modelTimeouts({ settings }: Config): ModelTimeouts {
  const value = (name: keyof ModelTimeouts): number =>
    settings.find(({ key }) => key === `modelTimeouts.${name}`)!.value as number
  return { firstToken: value('firstToken'), idle: value('idle'), total: value('total') }
}

/** A model that does not exist is a mistake on the command line or in the configuration. */
export function asUsage(error: unknown): unknown {
  if (!(error instanceof CurfewError) || error.code !== 'INVALID_OPTION') return error
  return new UsageError(`curfew: ${error.message}`)
}
