import { nameOfModel } from '@curfew/agent'
import type { Config } from '@curfew/extensions'
import { UsageError } from '../command.ts'
import type { OpenedModel } from '../models/open-model.ts'

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
